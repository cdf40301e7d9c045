import { conflict } from './errors.ts'

/** Refuses an edit that was made from an older state than the record has now. */
export function checkRevision(record: { kind: string; name: string; revision: number }, ifRevision: number | undefined): void {
  if (ifRevision !== undefined && ifRevision !== record.revision) {
    throw conflict(
      `${record.kind} ${record.name} is at revision ${record.revision}, not ${ifRevision}: read it again and repeat the edit on what it says now`,
      { reason: 'movedOn' },
    )
  }
}
