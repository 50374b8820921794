/** one sentence for each run of lines that stands in two places; `paths`: of modules */
export declare const duplicateProblems: (paths: ReadonlyArray<string>) => ReadonlyArray<string>
