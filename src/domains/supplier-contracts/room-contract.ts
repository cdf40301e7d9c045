import { recordChange } from '../../kernel/audit.ts'
import { runInSavepoint } from '../../kernel/savepoint.ts'
import type { HousingContext } from '../housing/context.ts'
import type { HousingContractTerms } from '../housing/contracts/original.ts'
import { signRoomContract } from '../housing/contracts/sign.ts'
import { getSupplier } from '../suppliers/suppliers.ts'
import { readContractVersion } from './contracts.ts'
import { applyClauseRatesToOffer } from './rates.ts'
import { readAwardedOfferOfContract } from './sources.ts'
import type { Clause, ContractRow } from './tables.ts'
import { readTermsFromClauses, type SupplierContractTerms } from './terms.ts'

/**
 * Makes the hotel's room contract definite with the signed numbers of an executed contract. If that is rejected, for example because more
 * rooms are in use than were signed, the error is only recorded and the signature stays valid.
 */
export async function confirmRoomContract(ctx: HousingContext, contract: ContractRow): Promise<void> {
  const { content } = await readAwardedOfferOfContract(ctx, contract)
  const { clauses } = await readContractVersion(ctx, contract)
  const first = await readContractVersion(ctx, contract, 1)
  const supplier = await getSupplier(ctx, contract.supplier_id)
  const statedTerms = createStatedTermReader(clauses, first.clauses, content.currency)
  const { refused } = await runInSavepoint(ctx, () =>
    signRoomContract(ctx, {
      sourcingContractId: contract.id,
      awardId: contract.award_id,
      supplier: { id: supplier.id, catalogRef: supplier.catalog_ref },
      signedOn: contract.executed_on!,
      reason: `Signed contract ${contract.number}`,
      ...toRoomContract(statedTerms),
      rates: applyClauseRatesToOffer(content.rooms, clauses, content.currency).map(({ night, roomType, rates }) => ({
        night,
        roomType,
        single: rates.single,
        double: rates.double,
      })),
    }),
  )
  if (refused) recordChange(ctx, { kind: 'contract', id: contract.id, after: { roomContract: refused.message } })
}

interface StatedTermReader {
  signed: SupplierContractTerms
  first: SupplierContractTerms
  /**
   * Returns a term of the signed version. Returns `cleared` if the signed version has lost it: its clause was removed, or the first version,
   * which was derived from the award, still stated it. Returns undefined for a term that the contract never stated as a value.
   */
  read: <T>(clauseKey: string, select: (terms: SupplierContractTerms) => T | null, cleared: T) => T | undefined
}

function createStatedTermReader(clauses: readonly Clause[], firstClauses: readonly Clause[], currency: string): StatedTermReader {
  const [signed, first] = [readTermsFromClauses(clauses, currency), readTermsFromClauses(firstClauses, currency)]
  const keys = new Set(clauses.map(({ key }) => key))
  return {
    signed,
    first,
    read(clauseKey, select, cleared) {
      const value = select(signed)
      if (value !== null) return value
      return !keys.has(clauseKey) || select(first) !== null ? cleared : undefined
    },
  }
}

function toRoomContract({ signed, first, read }: StatedTermReader) {
  const terms: HousingContractTerms = {
    cutoffOn: read<string | null>('cutoff', ({ cutoffOn }) => cutoffOn, null),
    roomingListDueOn: read<string | null>('cutoff', ({ roomingListOn }) => roomingListOn, null),
    nameDeadlineOn: read<string | null>('cutoff', ({ nameDeadlineOn }) => nameDeadlineOn, null),
    reviewDates: read('attrition', ({ reviewDates }) => (reviewDates.length === 0 ? null : reviewDates), []),
    attrition: read<NonNullable<HousingContractTerms['attrition']>>(
      'attrition',
      ({ attrition: { commitPercent, ...others } }) => (commitPercent === null ? null : { commitPercent, ...others }),
      { method: 'none', commitPercent: null, profitPercent: null, creditResold: null },
    ),
    compPer: read<number | null>('comps', ({ compPer }) => compPer, null),
    rebatePerRoomNight: read<number | null>('concessions', ({ rebatePerRoomNight }) => rebatePerRoomNight, null),
    commissionPercent: read<string | null>(
      'commission',
      ({ commissionPercent: percent }) => (percent === null ? null : String(percent)),
      null,
    ),
  }
  return {
    terms,
    hotel: { taxPercent: signed.taxPercent ?? undefined, feePerNight: read('rates', ({ feePerNight }) => feePerNight, 0) },
    rooms: [...signed.nights, ...listDroppedNights(signed, first)],
  }
}

/** Lists the nights of the first version that the signed room block no longer contains. A contract without a room block drops no nights. */
function listDroppedNights(signed: SupplierContractTerms, first: SupplierContractTerms): SupplierContractTerms['nights'] {
  const kept = new Set(signed.nights.map(({ night }) => night))
  return kept.size === 0 ? [] : first.nights.filter(({ night }) => !kept.has(night)).map(({ night }) => ({ night, rooms: 0 }))
}
