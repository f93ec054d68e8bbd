export const dumpNames = 'LATEST, an id or its beginning, a task, or the path of an export'
