/** Links between the pages of a folder that lead nowhere, as `page: link`. */
export function deadLinks(folder: string): string[]
