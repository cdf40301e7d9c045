import type { Log } from './ports.ts'

/** For work whose progress is not logged. Errors there are thrown. */
export const SILENT_LOG: Log = { info: () => {}, warn: () => {}, error: () => {} }
