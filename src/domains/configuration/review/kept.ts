import { dayIn } from '../../../kernel/time.ts'
import type { InParts } from '../../../kernel/turns.ts'
import type { ConfigDocument } from '../schema/event-config.ts'
import { type ReviewedFlow, reviewInParts } from './review.ts'
import type { Scene } from './scene.ts'

interface Kept {
  beside: string
  flows: readonly ReviewedFlow[]
}

/** Documents are kept up to a bound, and what is said of them goes with them. */
const kept = new WeakMap<ConfigDocument, Kept>()

/** The review of all flows, for what is opened again and again: the flows are looked at once beside the same facts. */
export function* keptReview(scene: Scene): InParts<readonly ReviewedFlow[]> {
  const beside = besideOf(scene)
  const known = kept.get(scene.document)
  if (known?.beside === beside) return known.flows
  const flows = yield* reviewInParts(scene)
  kept.set(scene.document, { beside, flows })
  return flows
}

/** Whatever else a review depends on. Of the time: which day it is at the event, and what the document names that is over. */
function besideOf({ document, facts: { now, ...facts }, around, gives, soldOut, inviteLists }: Scene): string {
  const over = instantsIn(document).filter((instant) => instant <= now.getTime()).length
  const time = [dayIn(facts.timezone, now), over]
  return JSON.stringify([facts, time, [...around.connections], [...around.files], [...gives], [...soldOut], inviteLists])
}

const INSTANT = /"(\d{4}-\d\d-\d\dT[^"]{1,30})"/g
const named = new WeakMap<ConfigDocument, readonly number[]>()

/** Instants that stand anywhere in the document, but for its translations, which hold texts alone. */
function instantsIn(document: ConfigDocument): readonly number[] {
  const known = named.get(document)
  if (known) return known
  const { translations: _texts, ...rest } = document
  const found = [...JSON.stringify(rest).matchAll(INSTANT)].map(([, written]) => Date.parse(written!))
  named.set(document, found)
  return found
}
