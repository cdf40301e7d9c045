import { conflict } from './errors.ts'

/** Rejects an edit that is based on an outdated revision of the record. */
export function checkRevision(record: { kind: string; name: string; revision: number }, ifRevision: number | undefined): void {
  if (ifRevision !== undefined && ifRevision !== record.revision) {
    throw conflict(
      `${record.kind} ${record.name} is at revision ${record.revision}, not ${ifRevision}: read it again and repeat the edit on what it says now`,
      { reason: 'movedOn' },
    )
  }
}
