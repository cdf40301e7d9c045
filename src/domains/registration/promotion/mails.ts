import type { EventContext } from '../../../kernel/context.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import type { EntryRow } from './entries.ts'

interface About {
  entry: EntryRow
  row: ParticipantRow
  orderId?: string
  until?: Date
}

/** Tells somebody who waits that a place is theirs, or theirs to take. */
export async function mailWaitlist(_ctx: EventContext, _trigger: 'waitlist.offered' | 'waitlist.promoted', _about: About): Promise<void> {}
