/** How long a condition must last before it has its effect, in seconds. Reference: cluster-objects.md, "Observing". */
export interface Graces {
  /** a Job or pod that is gone, or that ended without its last word */
  readonly lost: number
  readonly evicted: number
  readonly deadNode: number
  /** after the end of the adapter and its sidecar, for a late terminal event */
  readonly exit: number
  readonly start: number
  readonly imageName: number
  readonly imagePull: number
  readonly containerConfig: number
  /** a container that is being created is no condition before */
  readonly creating: number
  readonly mount: number
  readonly sidecar: number
  readonly suspended: number
  readonly noPod: number
  readonly serviceAccount: number
  readonly unschedulable: number
}

export const standardGraces: Graces = {
  lost: 10,
  evicted: 10,
  deadNode: 60,
  exit: 10,
  start: 10,
  imageName: 10,
  imagePull: 300,
  containerConfig: 60,
  creating: 60,
  mount: 120,
  sidecar: 60,
  suspended: 30,
  noPod: 30,
  serviceAccount: 120,
  unschedulable: 30
}
