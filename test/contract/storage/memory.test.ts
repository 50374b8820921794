import * as Storage from "../../../infrastructure/memory/storage.ts"
import { everyStoragePort } from "./every-port.suite.ts"

everyStoragePort("memory", Storage.layer({ vendorAliases: true }))
