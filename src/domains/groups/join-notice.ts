import { sendEmail } from '../../kernel/email.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { formatMoney } from '../../kernel/language/format.ts'
import { toMoney } from '../../kernel/money.ts'
import { readDraftConfiguration } from '../configuration/read.ts'
import { buildHeading, buildLinkButton, buildParagraphs, defineNoticeEmail } from '../messages/rendering/notice.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { formatParticipantName, type ParticipantRow } from '../registration/participant-shape.ts'
import { listAdmins } from './admins.ts'
import { getGroup } from './groups.ts'
import { buildGroupPageUrls } from './links.ts'

interface Joined {
  event: string
  group: string
  name: string
  email: string
  /** Amount that the group pays for the new member. */
  amount: { amount: string; currency: string }
  joinCode: string
  link: string
}

/** The email that informs the admins of a group that pays for its members about a person who joined with the join code. */
const memberJoinedNotice = defineNoticeEmail<Joined>({
  code: 'group-member-joined',
  category: 'transactional',
  write: ({ event, group, name, email, amount, joinCode, link }, { words: { say, locale } }) => ({
    subject: say('mail.joinedByCode.subject', { name, group }),
    preheader: say('mail.joinedByCode.text', { name, email, group, event }),
    sender: event,
    blocks: [
      buildHeading(say('mail.joinedByCode.subject', { name, group })),
      buildParagraphs(
        say('mail.joinedByCode.text', { name, email, group, event }),
        say('mail.joinedByCode.pays', { amount: formatMoney(locale, amount) }),
        say('mail.joinedByCode.code', { code: joinCode }),
        say('mail.joinedByCode.stranger'),
      ),
      buildLinkButton(say('mail.joinedByCode.button'), link),
    ],
  }),
})

/**
 * Emails all admins of the group that `member` joined with its join code. If the group has no admins, the email goes to the event's contact
 * address instead, because the organizer manages such a group.
 */
export async function emailGroupAboutNewMember(
  ctx: RegistrationContext,
  groupId: string,
  member: ParticipantRow,
  total: number,
): Promise<void> {
  const group = await getGroup(ctx, groupId)
  const { facts, config } = await readDraftConfiguration(ctx)
  const admins = await listAdmins(ctx, group.id)
  const { contactEmail } = config.details
  const recipients = admins.length > 0 ? admins : contactEmail ? [{ email: contactEmail, name: config.details.name }] : []
  for (const { email, name } of recipients) {
    await sendEmail(ctx, memberJoinedNotice, {
      to: { address: email, name },
      content: {
        event: ctx.event.name,
        group: group.name,
        name: formatParticipantName(member) || (member.email ?? ''),
        email: member.email ?? '',
        amount: toMoney(total, ctx.event.currency),
        joinCode: group.join_code,
        link: buildGroupPageUrls(ctx, group.code).home,
      },
      source: { kind: 'groupJoin', id: member.id, recipientKey: `${group.id}:${foldEmailCase(email)}` },
      locale: facts.locale,
      eventId: ctx.event.id,
      fromName: ctx.event.name,
      isTestData: group.is_test_data,
    })
  }
}
