/** One word of a shell, whatever stands in it, for commands that people copy. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
