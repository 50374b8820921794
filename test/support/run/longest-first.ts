/**
 * The order of the files of `npm test`: those that take long first, so that at the end no worker waits for one that began late. The same in
 * every run and on every machine: it follows what is written here and the sizes of the files, no times of earlier runs. Other suites are in
 * the usual order of vitest, which goes by such times where it has them.
 */
import { statSync } from "node:fs"
import { relative } from "node:path"
import type { TestSpecification } from "vitest/node"
import { BaseSequencer } from "vitest/node"

/** files that take long, in seconds on two quiet cores; the others go by their sizes after them */
export const longFiles: { readonly [file: string]: number } = {
  "test/e2e/demo.test.ts": 19,
  "test/e2e/cluster-server.test.ts": 15,
  "test/e2e/secret-canaries.test.ts": 13,
  "test/e2e/server.test.ts": 11,
  "test/integration/interfaces/http/database-faults.test.ts": 9,
  "test/integration/interfaces/http/hostile/strings.test.ts": 9,
  "test/contract/storage/store-model.test.ts": 8,
  "test/e2e/pages.test.ts": 8,
  "test/e2e/sidecar.test.ts": 8,
  "test/integration/infrastructure/local/processes.test.ts": 8,
  "test/integration/providers/sdk/framework/wrapper.test.ts": 8,
  "test/integration/infrastructure/kubernetes/operator/operator.test.ts": 7,
  "test/integration/infrastructure/kubernetes/removal.test.ts": 7,
  "test/integration/infrastructure/local/process/process-namespace.test.ts": 7,
  "test/contract/storage/same-answers.test.ts": 6,
  "test/integration/infrastructure/kubernetes/fake-behaviour.test.ts": 6,
  "test/integration/infrastructure/local/server-death.test.ts": 6,
  "test/integration/interfaces/http/hostile/fuzz.test.ts": 6,
  "test/e2e/operator/manifests.test.ts": 5,
  "test/integration/infrastructure/kubernetes/access/access-review.test.ts": 5,
  "test/integration/infrastructure/kubernetes/launch-crash.test.ts": 5,
  "test/integration/infrastructure/kubernetes/observe/observe.test.ts": 5,
  "test/contract/interfaces/http/request-document.test.ts": 4,
  "test/contract/storage/sqlite-file.test.ts": 4,
  "test/integration/infrastructure/kubernetes/observe/mapping-in-cluster.test.ts": 4,
  "test/integration/infrastructure/objectstore/download.test.ts": 4,
  "test/integration/infrastructure/sql/killed.test.ts": 4,
  "test/integration/interfaces/http/access-matrix.test.ts": 4,
  "test/integration/interfaces/http/authentication.test.ts": 4,
  "test/integration/interfaces/http/gateway/model-gateway.test.ts": 4,
  "test/integration/interfaces/sidecar/streams.test.ts": 4,
  "test/integration/providers/evald/rescore.test.ts": 4,
  "test/unit/providers/evald/reference-answers.test.ts": 4,
  "test/integration/infrastructure/kubernetes/operator/findings.test.ts": 3,
  "test/integration/interfaces/http/early-answers.test.ts": 3,
  "test/unit/application/notifications/notify.test.ts": 3,
  "test/unit/providers/evald/answer-manners.test.ts": 3,
  "test/unit/providers/evald/code/code-js-small.test.ts": 3,
  "test/unit/providers/evald/items/early-stop.test.ts": 3,
  "test/unit/providers/evald/safety/attacks.test.ts": 3
}

export default class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    if (files.some(({ project }) => project.name !== "quick")) return super.sort(files)
    const { root } = this.ctx.config
    return files
      .map((spec) => {
        const name = relative(root, spec.moduleId)
        return { spec, name, seconds: longFiles[name] ?? 0, bytes: statSync(spec.moduleId).size }
      })
      .sort((a, b) => b.seconds - a.seconds || b.bytes - a.bytes || (a.name < b.name ? -1 : 1))
      .map(({ spec }) => spec)
  }
}
