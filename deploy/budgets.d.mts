type Environment = { readonly [name: string]: string | undefined }

export declare const budgets: { readonly [name: string]: number }
export declare const sums: { readonly [name: string]: ReadonlyArray<string> }
export declare const quickSuites: ReadonlyArray<string>
export declare const scaleOf: (environment?: Environment) => number
export declare const budgetOf: (name: string, environment?: Environment) => number | undefined
export declare const excessOf: (name: string, seconds: number, environment?: Environment) => string | undefined
