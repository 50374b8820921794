export declare const removeLeftovers: (folder: string) => void
export declare const withMemoryFolder: <A>(action: (folder: string | undefined) => A) => A
