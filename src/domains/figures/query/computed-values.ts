import type { EventContext } from '../../../kernel/context.ts'
import { readResponseScores } from '../../bids/response-scores.ts'
import { readRequesterPriorityPoints } from '../../block-requests/requester-points.ts'
import { readBoothTypes } from '../../exhibitors/booths/booth-types.ts'
import type { ComputedValuesName } from '../dictionary/types.ts'
import { runWithoutReportDbRole } from './snapshot-role.ts'

type Values = ReadonlyMap<string, string | number>

const READERS: Readonly<Record<ComputedValuesName, (ctx: EventContext) => Promise<Values>>> = {
  boothTypes: readBoothTypes,
  companyPoints: readRequesterPriorityPoints,
  responseScores: readResponseScores,
}

/** Returns a function that reads computed values, such as priority points, as a JSON object. Each object is computed only once. */
export function createComputedValueReader(ctx: EventContext): (name: ComputedValuesName) => Promise<string> {
  const computed = new Map<ComputedValuesName, string>()
  return async (name) => {
    const known = computed.get(name) ?? JSON.stringify(Object.fromEntries(await runWithoutReportDbRole(ctx, () => READERS[name](ctx))))
    computed.set(name, known)
    return known
  }
}
