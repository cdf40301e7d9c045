import type { EventContext } from '../../../kernel/context.ts'
import { readResponseScores } from '../../bids/response-scores.ts'
import { readRequesterPoints } from '../../block-requests/requester-points.ts'
import { readBoothTypes } from '../../exhibitors/booths/booth-types.ts'
import type { ComputedValuesName } from '../dictionary/types.ts'
import { runWithoutReportDbRole } from './snapshot-role.ts'

type Values = ReadonlyMap<string, string | number>

const READERS: Readonly<Record<ComputedValuesName, (ctx: EventContext) => Promise<Values>>> = {
  boothTypes: readBoothTypes,
  companyPoints: readRequesterPoints,
  responseScores: readResponseScores,
}

/** Returns a function that computes values of an event as a JSON object, at most once each. */
export function createComputedValues(ctx: EventContext): (name: ComputedValuesName) => Promise<string> {
  const computed = new Map<ComputedValuesName, string>()
  return async (name) => {
    const known = computed.get(name) ?? JSON.stringify(Object.fromEntries(await runWithoutReportDbRole(ctx, () => READERS[name](ctx))))
    computed.set(name, known)
    return known
  }
}
