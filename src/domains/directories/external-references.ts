import { listReferencedFiles } from '../configuration/references.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import type { ExternalRecords } from '../configuration/validate/external-records.ts'
import { filterEventLibraryFiles } from '../files/library.ts'
import type { ConnectionQueryScope } from './connections.ts'
import { readConnectionStates } from './connection-states.ts'

/** Reads the directory connections and files that the event's configuration refers to. References to missing records are left out. */
export const readReferencedExternalRecords = async (ctx: ConnectionQueryScope, document: ConfigDocument): Promise<ExternalRecords> => ({
  connections: await readConnectionStates(ctx),
  files: await filterEventLibraryFiles(ctx, listReferencedFiles(document)),
})
