import { foldEmailCase } from '../../kernel/email-address.ts'
import type { RecurringTask } from '../../kernel/recurring.ts'
import { findCompanyEmailRecipient } from '../exhibitors/company-facts.ts'
import { listAdmins } from '../groups/admins.ts'
import {
  type DueBlockReminder,
  releaseBlockPastDeadline,
  getBlockRow,
  listDueBlockReminders,
  listBlocksPastDeadline,
} from '../housing/deadlines/block-dates.ts'
import { listDueCutoffs, releaseRoomsAtHotelCutoff } from '../housing/deadlines/cutoff.ts'
import type { BlockRow } from '../housing/tables.ts'
import { sendEventEmail } from '../messages/event-mail/send.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'

/** The recurring task that returns unsold rooms to hotels after their cut-off, one hotel per transaction. */
export const runHotelCutoffs: RecurringTask = {
  name: 'hotel-cutoff',
  schedule: { everySeconds: 300 },
  async run({ transact, commitEach }) {
    await commitEach(await transact(listDueCutoffs), async (ctx, { hotelId }) => {
      for (const { blockId, released } of (await releaseRoomsAtHotelCutoff(ctx, hotelId)) ?? [])
        await emailReleased(ctx, await getBlockRow(ctx, blockId), released, `cutoff:${hotelId}`)
    })
  },
}

/** The recurring task that releases unbooked rooms of blocks after their release date or name deadline, and reminds their owners before. */
export const enforceRoomBlockDeadlines: RecurringTask = {
  name: 'block-dates',
  schedule: { everySeconds: 3600 },
  async run({ transact, commitEach }) {
    await commitEach(await transact(listBlocksPastDeadline), async (ctx, { blockId }) => {
      const ended = await releaseBlockPastDeadline(ctx, blockId)
      if (ended && ended.released > 0) await emailReleased(ctx, ended.block, ended.released, `date:${ended.block.released_through}`)
    })
    await commitEach(await transact(listDueBlockReminders), remindOfDeadline)
  },
}

/**
 * Lists the people who manage a room block: the admins of its group or the contact of its company. Room blocks for participants with a tag
 * have none.
 */
async function listBlockContacts(
  ctx: RegistrationContext,
  { owner_kind, owner_ref }: BlockRow,
): Promise<{ email: string; name: string | null }[]> {
  if (owner_kind === 'group') return listAdmins(ctx, owner_ref!)
  const contact = owner_kind === 'company' ? await findCompanyEmailRecipient(ctx, owner_ref!) : null
  return contact ? [contact] : []
}

interface BlockEmail {
  trigger: 'block.nameDeadline' | 'block.released'
  unbooked: number
  deadline: string | null
  /** Part of the email's deduplication key. It identifies the deadline and reminder, so that each email about a room block is sent once. */
  occasion: string
}

async function emailContacts(
  ctx: RegistrationContext,
  block: BlockRow,
  { trigger, unbooked, deadline, occasion }: BlockEmail,
): Promise<void> {
  for (const { email, name } of await listBlockContacts(ctx, block))
    await sendEventEmail(ctx, {
      trigger,
      reader: 'blockOwner',
      participant: null,
      to: { email, name },
      values: {
        'block.name': block.name,
        'block.unbooked': String(unbooked),
        ...(deadline === null ? {} : { 'block.deadline': { day: deadline } }),
      },
      isTestData: false,
      sourceKind: 'block',
      sourceId: block.id,
      recipientKey: `${trigger}:${occasion}:${foldEmailCase(email)}`,
    })
}

const emailReleased = (ctx: RegistrationContext, block: BlockRow, released: number, occasion: string) =>
  emailContacts(ctx, block, { trigger: 'block.released', unbooked: released, deadline: null, occasion })

const remindOfDeadline = async (
  ctx: RegistrationContext,
  { blockId, deadline, daysLeft, unbooked }: Omit<DueBlockReminder, 'tenantId' | 'eventId'>,
) =>
  emailContacts(ctx, await getBlockRow(ctx, blockId), {
    trigger: 'block.nameDeadline',
    unbooked,
    deadline,
    occasion: `${deadline}:${daysLeft}`,
  })
