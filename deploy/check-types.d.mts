/** of each file, by its length, the number of the part that judges it */
export declare const partsOf: (lengths: ReadonlyArray<number>, parts: number) => ReadonlyArray<number>
