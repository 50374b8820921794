/** Where an instance keeps its jobs. Reference: operator.md, "Custom resource". */
import { Schema } from "effect"
import { byDefault, judged, name, optional, required, text, whole } from "../crd-field.ts"

const Persistence = judged(
  Schema.Struct({
    enabled: byDefault(Schema.Boolean, true, "false keeps the database in an emptyDir: it is lost with the pod"),
    size: byDefault(
      judged(
        text(64),
        { rule: "isQuantity(self)", message: "write a quantity, such as 10Gi" },
        {
          rule: "!isQuantity(self) || !isQuantity(oldSelf) || quantity(self).compareTo(quantity(oldSelf)) >= 0",
          message: "a claim can grow but not shrink: keep the size or write a larger one"
        }
      ),
      "10Gi",
      "size of the claim"
    ),
    storageClassName: optional(name(), "storage class; absent is the default of the cluster; can not be changed"),
    accessMode: byDefault(
      Schema.Literal("ReadWriteOnce", "ReadWriteOncePod"),
      "ReadWriteOnce",
      "access mode of the claim"
    ),
    existingClaim: optional(name(), "use this claim and create none"),
    reclaim: byDefault(
      Schema.Literal("Retain", "Delete"),
      "Retain",
      "what becomes of the claim when the resource is deleted"
    )
  }),
  {
    rule: "!has(self.existingClaim) || !has(self.storageClassName)",
    message: "storageClassName belongs to a claim that is made here: leave it out beside existingClaim"
  },
  {
    rule: "has(self.storageClassName) == has(oldSelf.storageClassName) && (!has(self.storageClassName) || self.storageClassName == oldSelf.storageClassName)",
    message: "storageClassName can not be changed: keep it, or delete the claim and create the resource again"
  }
)

export const Database = judged(
  Schema.Struct({
    type: required(
      Schema.Literal("sqlite", "postgresql"),
      "sqlite: a file, one replica; postgresql: a server, any number of replicas"
    ),
    secret: optional(text(), "Secret with the connection URL; needed for postgresql"),
    secretKey: byDefault(
      name(),
      "db-url",
      "key with the connection URL; a key ca.crt beside it is mounted at /etc/evald/secrets/ca.crt for sslrootcert in the URL"
    ),
    maxOpenConns: byDefault(whole(1, 500), 25, "connections of each pod"),
    persistence: optional(Persistence, "where sqlite keeps its file; absent is a claim with the defaults")
  }),
  {
    rule: "self.type != 'postgresql' || (has(self.secret) && size(self.secret) > 0)",
    message: "postgresql needs database.secret: the name of a Secret with the connection URL"
  },
  {
    rule: "self.type == 'sqlite' || !has(self.persistence)",
    message: "persistence is for sqlite: leave it out with postgresql"
  }
)
