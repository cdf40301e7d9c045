import type { Log } from './ports.ts'

/** A log that writes nothing, for work whose progress is not logged. Errors there are thrown. */
export const SILENT_LOG: Log = { info: () => {}, warn: () => {}, error: () => {} }
