import { recordChange } from '../../kernel/audit.ts'
import { conflict, invalidArguments, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb, joinRowsOfSameEvent, tenantDb } from '../../kernel/scoped-db.ts'
import type { HousingContext } from '../housing/context.ts'
import { buildNextRecordNumberSql } from '../orders/numbers.ts'
import { readSourcingSettings } from '../tenancy/sourcing-settings.ts'
import { findMissingVariables } from './clause-text.ts'
import { buildClauses, type VariablesByClause } from './library/build.ts'
import { readPlaybook } from './library/playbook.ts'
import { describeContract } from './describe.ts'
import { assessClauseRisk } from './risk.ts'
import { readAwardedOffer } from './sources.ts'
import { insertContractVersion, setClauseStates } from './write.ts'

export const CONTRACT_TEMPLATES = ['standard'] as const

interface NewContract {
  awardId: string
  lineIndex: number
  template: (typeof CONTRACT_TEMPLATES)[number]
  vars?: VariablesByClause | undefined
}

/** Creates the contract for one line of an award, that is, for one chosen supplier of an RFP, with version 1 of its clauses. */
export async function createContractFromAward(ctx: HousingContext, { awardId, lineIndex, template, vars }: NewContract) {
  const line = await getAwardLine(ctx, awardId, lineIndex)
  const [source, settings, supplier, recipient] = await Promise.all([
    readAwardedOffer(ctx, line),
    readSourcingSettings(ctx),
    tenantDb(ctx)
      .selectFrom('suppliers')
      .select(['id', 'name', 'address', 'contacts'])
      .where('client_id', '=', ctx.client.id)
      .where('id', '=', line.supplierId)
      .executeTakeFirstOrThrow(),
    findRecipient(ctx, line.responseId),
  ])
  const clauses = buildClauses(source, supplier.address, settings, vars)
  const id = newId()
  const contract = await ctx.db
    .insertInto('supplier_contracts')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      number: buildNextRecordNumberSql(ctx, 'K', 'real'),
      client_id: ctx.client.id,
      award_id: awardId,
      line_index: lineIndex,
      response_id: line.responseId,
      supplier_id: line.supplierId,
      template,
      contact_name: recipient?.contact_name ?? supplier.contacts[0]?.name ?? null,
      contact_email: recipient?.contact_email ?? supplier.contacts[0]?.email ?? null,
    })
    .onConflict((oc) => oc.columns(['tenant_id', 'event_id', 'award_id', 'line_index']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!contract) throw conflict(`Line ${lineIndex} of award ${awardId} already has a contract. Use list_contracts to find it`)
  recordChange(ctx, { kind: 'contract', id, after: { number: contract.number, status: contract.status, version: 1 } })
  await insertContractVersion(ctx, contract, source, { n: 1, by: 'us', clauses })
  const playbook = readPlaybook(settings)
  await setClauseStates(
    ctx,
    contract,
    clauses.map((clause) => ({ key: clause.key, state: 'agreed', assessment: assessClauseRisk(playbook, clause, clause) })),
  )
  ctx.effects.add('changes', id)
  return { contract: await describeContract(ctx, contract), missingVars: findMissingVariables(clauses) }
}

async function getAwardLine(ctx: HousingContext, awardId: string, lineIndex: number) {
  const award = await eventDb(ctx).selectFrom('awards').select(['status', 'lines']).where('id', '=', awardId).executeTakeFirst()
  if (!award) throw notFound(`No award ${awardId} at this event. Use get_sourcing_summary to find it`)
  if (award.status !== 'executed') throw preconditionFailed(`The award is ${award.status}. Execute it with execute_award first`)
  const line = award.lines[lineIndex]
  if (!line)
    throw invalidArguments([{ path: 'lineIndex', message: `the award has lines 0 to ${award.lines.length - 1}, and no line ${lineIndex}` }])
  return line
}

const findRecipient = (ctx: HousingContext, responseId: string) =>
  eventDb(ctx)
    .selectFrom('rfp_responses as s')
    .innerJoin('rfp_recipients as r', (join) => joinRowsOfSameEvent(join, 'r.id', 's.recipient_id'))
    .select(['r.contact_name', 'r.contact_email'])
    .where('s.id', '=', responseId)
    .executeTakeFirst()
