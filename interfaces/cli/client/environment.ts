/** variables of the process, as a command was given them */
export type Environment = { readonly [name: string]: string | undefined }
