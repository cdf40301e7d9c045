import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { toOneLine, count, day, object, oneOf, text } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { conflict, preconditionFailed } from '../../kernel/errors.ts'
import { PrefetchNeededError } from '../../kernel/prefetch-needed.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState, changeStateOfRows } from '../../kernel/states.ts'
import type { PrefetchContext } from '../../kernel/tool.ts'
import { createFile } from '../files/files.ts'
import { type StoredUpload, storeUpload } from '../files/upload.ts'
import type { HousingQueryContext, HousingContext } from '../housing/context.ts'
import { findMissingVariables } from './clause-text.ts'
import { getContract, listClauseStates, lockSupplierContract, readContractVersion } from './contracts.ts'
import { renderContractPdf } from './document.ts'
import { CONTRACT_STATES, CLAUSE_STATES } from './states.ts'
import type { ContractRow } from './tables.ts'

const ContractHeadFields = object({
  id: text(),
  number: text(),
  status: oneOf(CONTRACT_STATES.all),
  version: count(),
  finalSha256: text().nullable(),
  executedOn: day().nullable(),
  revision: count(),
})

/** The summary of a contract in the results of signing tools; list_contracts returns all fields. */
export const ContractSummaryShape = toOneLine(ContractHeadFields, 'id, number, status, version, finalSha256, executedOn, revision')

export const toContractSummary = (row: ContractRow): z.output<typeof ContractHeadFields> => ({
  id: row.id,
  number: row.number,
  status: row.status,
  version: row.current_version,
  finalSha256: row.final_sha256,
  executedOn: row.executed_on,
  revision: row.revision,
})

interface Readiness {
  contractId: string
  /** Whether the supplier agreed to the client's version as it was sent. */
  acceptAll: boolean
}

/** The PDF of the version to be signed, rendered before the contract is locked. */
export interface FinalContractPdf {
  version: number
  sha256: string
  /** The stored PDF; null in a dry run, which stores nothing. */
  upload: StoredUpload | null
}

/** A context of an event outside of a database transaction, with access to the file store. */
type DocumentContext = EventContext & Pick<PrefetchContext<EventContext>, 'files' | 'log' | 'isDryRun'>

/**
 * Renders and stores the document that will be signed. Errors that can be detected without a lock are thrown first, so that no file is
 * stored for them.
 */
export async function prepareFinalContractPdf(ctx: DocumentContext, input: Readiness): Promise<FinalContractPdf> {
  const contract = await getContract(ctx, input.contractId)
  await refuseUnready(ctx, contract, input.acceptAll)
  const pdf = await renderContractPdf(ctx, contract)
  const upload = ctx.isDryRun
    ? null
    : await storeUpload(
        { db: ctx.db, files: ctx.files, log: ctx.log },
        { tenantId: ctx.tenantId, purpose: 'contract', name: `${contract.number}.pdf`, content: Readable.from([pdf]) },
      )
  return { version: contract.current_version, sha256: createHash('sha256').update(pdf).digest('hex'), upload }
}

/**
 * Determines the document that will be signed, and stores its hash. The document is rendered on demand, so that a repeated idempotency key
 * is answered without rendering.
 */
export async function markReadyForSignature(ctx: EventContext, { contractId, acceptAll }: Readiness, document?: FinalContractPdf) {
  const contract = await lockSupplierContract(ctx, contractId)
  await refuseUnready(ctx, contract, acceptAll)
  if (!document) throw new PrefetchNeededError()
  if (contract.current_version !== document.version)
    throw conflict(`Contract ${contract.number} got version ${contract.current_version} meanwhile. Repeat the call`)
  await changeStateOfRows(eventDb(ctx), CLAUSE_STATES, 'agreed')
    .where('contract_id', '=', contract.id)
    .where('state', '<>', 'agreed')
    .execute()
  const { sha256, upload } = document
  const file = upload && (await createFile(ctx, upload, fileOwner(ctx, contract)))
  const ready = await changeContractStatus(ctx, contract, 'readyForSignature', { final_file_id: file?.id ?? null, final_sha256: sha256 })
  return { contract: toContractSummary(ready), finalSha256: sha256 }
}

const fileOwner = ({ client, event }: EventContext, { id }: ContractRow) => ({
  clientId: client.id,
  eventId: event.id,
  owner: { kind: 'contract', id },
})

async function refuseUnready(ctx: HousingQueryContext, contract: ContractRow, acceptAll: boolean): Promise<void> {
  CONTRACT_STATES.move(contract.status, 'readyForSignature')
  const version = await readContractVersion(ctx, contract)
  const missing = findMissingVariables(version.clauses)
  if (missing.length > 0)
    throw preconditionFailed(
      `Contract ${contract.number} has no value for ${missing.map(({ key, name }) => `${key}.${name}`).join(', ')}. Use add_contract_version`,
    )
  const undecided = (await listClauseStates(ctx, contract)).filter(({ state }) => state !== 'agreed')
  if (undecided.length === 0) return
  if (!acceptAll)
    throw preconditionFailed(
      `Not agreed in contract ${contract.number}: ${undecided.map(({ key, state }) => `${key} (${state})`).join(', ')}. Use resolve_clause, or acceptAll if the supplier agreed to the version as sent`,
    )
  if (version.written_by !== 'us')
    throw preconditionFailed(
      `acceptAll is only for a version of ours: version ${version.n} of contract ${contract.number} is the supplier's. Use resolve_clause`,
    )
}

/** Changes the status of a contract during signing. The caller has locked the contract. */
export const changeContractStatus = (
  ctx: HousingContext,
  contract: ContractRow,
  to: ContractRow['status'],
  columns: Partial<Pick<ContractRow, 'final_file_id' | 'final_sha256' | 'executed_on'>> = {},
): Promise<ContractRow> => changeRecordState(ctx, CONTRACT_STATES, contract, to, { columns, audited: columns })

/** Stores the file of a fully signed contract. */
export async function setSignedContractFile(ctx: HousingQueryContext, contractId: string, fileId: string): Promise<void> {
  await eventDb(ctx).updateTable('supplier_contracts').set({ signed_file_id: fileId }).where('id', '=', contractId).execute()
}
