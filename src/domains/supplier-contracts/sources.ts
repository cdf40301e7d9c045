import { eventDb, joinRowsOfSameEvent } from '../../kernel/scoped-db.ts'
import type { HousingQueryContext } from '../housing/context.ts'
import type { AwardLine } from '../awards/tables.ts'
import { type RfpQuantities, getRfpQuantitiesForDates } from '../bids/cost.ts'
import type { RfpResponseContent } from '../bids/tables.ts'
import type { BriefAnswers, DateOption } from '../briefs/answers.ts'
import { applyClauseRatesToOffer, computeAwardedRoomPrice } from './rates.ts'
import { sumCommittedAmounts, readTermsFromClauses } from './terms.ts'
import type { Clause, ContractRow } from './tables.ts'

/** The supplier's offer, the requirements of the RFP and the award line that a contract is created from. */
export interface AwardedOffer {
  line: AwardLine
  content: RfpResponseContent
  requirements: BriefAnswers
  dates: DateOption
  quantities: RfpQuantities
}

const sourceQuery = (ctx: HousingQueryContext) =>
  eventDb(ctx)
    .selectFrom('rfp_responses as s')
    .innerJoin('rfps as r', (join) => joinRowsOfSameEvent(join, 'r.id', 's.rfp_id'))
    .select(['s.id', 's.content', 's.date_option', 'r.requirements', 'r.date_options'])

/** Reads the offer of an award line and the requirements of the RFP that it answers. */
export async function readAwardedOffer(ctx: HousingQueryContext, line: AwardLine): Promise<AwardedOffer> {
  const row = await sourceQuery(ctx).where('s.id', '=', line.responseId).executeTakeFirstOrThrow()
  return toSource(line, row)
}

/** Reads the supplier's offer, the requirements and the award line of contracts, by contract id. */
export async function readAwardedOffersOfContracts(
  ctx: HousingQueryContext,
  contracts: readonly ContractRow[],
): Promise<Map<string, AwardedOffer>> {
  if (contracts.length === 0) return new Map()
  const [responses, awards] = await Promise.all([
    sourceQuery(ctx)
      .where(
        's.id',
        'in',
        contracts.map((one) => one.response_id),
      )
      .execute(),
    eventDb(ctx)
      .selectFrom('awards')
      .select(['id', 'lines'])
      .where(
        'id',
        'in',
        contracts.map((one) => one.award_id),
      )
      .execute(),
  ])
  return new Map(
    contracts.map((contract) => {
      const line = awards.find(({ id }) => id === contract.award_id)!.lines[contract.line_index]!
      return [
        contract.id,
        toSource(
          line,
          responses.find(({ id }) => id === contract.response_id)!,
        ),
      ]
    }),
  )
}

export const readAwardedOfferOfContract = async (ctx: HousingQueryContext, contract: ContractRow): Promise<AwardedOffer> =>
  (await readAwardedOffersOfContracts(ctx, [contract])).get(contract.id)!

function toSource(
  line: AwardLine,
  row: { content: RfpResponseContent; date_option: number; requirements: BriefAnswers; date_options: DateOption[] },
): AwardedOffer {
  const preferred = row.date_options[0]!
  const dates = row.date_options[row.date_option] ?? preferred
  return {
    line,
    content: row.content,
    requirements: row.requirements,
    dates,
    quantities: getRfpQuantitiesForDates(row.requirements, preferred, dates),
  }
}

/** Computes the committed amount of a contract version in minor units, from the version's own terms. */
export function computeCommittedAmount({ content, line, quantities }: AwardedOffer, clauses: readonly Clause[]): number {
  const terms = readTermsFromClauses(clauses, content.currency)
  const nights = terms.nights.length > 0 ? terms.nights : line.share
  return sumCommittedAmounts(
    terms,
    computeAwardedRoomPrice(applyClauseRatesToOffer(content.rooms, clauses, content.currency), nights, quantities.nights),
  )
}
