/** one sentence for each run of lines that stands in two places; `paths`: of modules */
export declare const duplicateProblems: (paths: ReadonlyArray<string>) => ReadonlyArray<string>

/** one sentence for each definition that two files have to the letter */
export declare const definitionProblems: (paths: ReadonlyArray<string>) => ReadonlyArray<string>
