import type { Words } from '../../../kernel/language/words.ts'
import type { EMAIL_TRIGGERS, EmailBlock } from '../../configuration/schema/emails.ts'
import { heading, sentences } from '../rendering/notice.ts'

export type EmailTrigger = (typeof EMAIL_TRIGGERS)[number]

/** A mail with fields to fill in, whoever wrote it. */
export interface MailText {
  subject: string
  preheader: string | null
  blocks: readonly EmailBlock[]
  attachments: readonly ('invoice' | 'calendar' | 'badge')[]
}

/** Who is told, where two sides are told of one thing in different words; `asked`: that it waits to be agreed to. */
export type Reader = 'person' | 'company' | 'personAsked' | 'companyAsked'

const button = (label: string, link: string): EmailBlock => ({
  id: 'button',
  type: 'button',
  label,
  href: null,
  link,
  style: 'primary',
  showWhen: null,
})
const order: EmailBlock = { id: 'order', type: 'orderSummary', showPaid: true, showWhen: null }
const details: EmailBlock = { id: 'event', type: 'eventDetails', show: ['name', 'dates', 'venue'], showWhen: null }

/** Said only where there is something in that field. */
const shown = (field: string, text: string): EmailBlock => ({
  ...sentences(text),
  id: 'where-set',
  showWhen: { binding: `@${field}`, op: 'isSet' },
})
/** What a person has to say themselves. */
const quoted = (field: string) => shown(field, `{{${field}}}`)
const ownWords = quoted('invite.message')

const event = '{{event.name}}'
const amount = '{{order.amount}}'
const receipt = '{{order.receiptNumber}}'

const room = {
  hotel: '{{housing.hotelName}}',
  checkIn: '{{housing.checkIn}}',
  checkOut: '{{housing.checkOut}}',
  number: '{{housing.ackNumber}}',
}

const mail = (subject: string, texts: readonly string[], more: readonly EmailBlock[], calendar = false): MailText => ({
  subject,
  preheader: texts[0]!,
  blocks: [heading(subject), sentences(...texts), ...more],
  attachments: calendar ? ['calendar'] : [],
})

/** What is waited for: a product, or the event itself. */
const place = ({ say }: Words) => `{{product.name|${say('mail.waitlist.place')}}}`

/** What is sent where an event has no mail of its own for it. Texts hold fields, so that one compiled mail serves everybody. */
const BUILT_IN: Partial<Record<EmailTrigger, (words: Words, reader: Reader) => MailText>> = {
  'registration.completed': ({ say }) =>
    mail(
      say('mail.completed.subject', { event }),
      [say('mail.completed.text', { event, number: '{{participant.confirmationNumber}}' })],
      [details, order, button(say('mail.myRegistration'), 'myRegistration')],
      true,
    ),
  'registration.cancelled': ({ say }) =>
    mail(
      say('mail.cancelled.subject', { event }),
      [say('mail.cancelled.text')],
      [shown('substitution.passedOn', say('mail.cancelled.passedOn')), order],
    ),
  'registration.incomplete': ({ say }) =>
    mail(say('mail.incomplete.subject', { event }), [say('mail.incomplete.text')], [button(say('mail.incomplete.button'), 'register')]),
  'registration.substituted': ({ say }) =>
    mail(
      say('mail.substituted.subject', { event }),
      [say('mail.substituted.text', { event, number: '{{participant.confirmationNumber}}' })],
      [
        shown('substitution.missing', say('mail.substituted.missing')),
        details,
        order,
        button(say('mail.myRegistration'), 'myRegistration'),
      ],
      true,
    ),
  'waitlist.joined': (words) =>
    mail(words.say('mail.joined.subject', { event }), [words.say('mail.joined.text', { place: place(words) })], []),
  'waitlist.offered': (words) =>
    mail(
      words.say('mail.offered.subject', { event }),
      [
        words.say('mail.offered.text', { place: place(words), price: '{{product.price}}' }),
        words.say('mail.offered.until', { deadline: '{{product.deadline}}' }),
      ],
      [button(words.say('mail.offered.button'), 'myRegistration')],
    ),
  'waitlist.promoted': (words) =>
    mail(
      words.say('mail.promoted.subject', { event }),
      [words.say('mail.promoted.text', { place: place(words) })],
      [details, order, button(words.say('mail.myRegistration'), 'myRegistration')],
      true,
    ),
  'payment.received': ({ say }) => mail(say('mail.received.subject', { event }), [say('mail.received.text', { amount, receipt })], [order]),
  'payment.due': ({ say }) =>
    mail(
      say('mail.due.subject', { event }),
      [say('mail.due.text', { balance: '{{order.balance}}', day: '{{order.dueOn}}' })],
      [order, button(say('mail.pay'), 'pay')],
    ),
  'payment.failed': ({ say }) =>
    mail(say('mail.failed.subject', { event }), [say('mail.failed.text', { amount })], [button(say('mail.pay'), 'pay')]),
  'payment.refunded': ({ say }) => mail(say('mail.refunded.subject', { event }), [say('mail.refunded.text', { amount, receipt })], [order]),
  'housing.confirmed': ({ say }) =>
    mail(
      say('mail.roomConfirmed.subject', { event }),
      [say('mail.roomConfirmed.text', room), say('mail.roomConfirmed.pay')],
      [button(say('mail.myRegistration'), 'myRegistration')],
    ),
  'housing.cancelled': ({ say }) => mail(say('mail.roomCancelled.subject', { event }), [say('mail.roomCancelled.text', room)], []),
  'housing.waitlisted': ({ say }) => mail(say('mail.roomWaits.subject', { event }), [say('mail.roomWaits.text', room)], []),
  'housing.offered': ({ say }) =>
    mail(
      say('mail.roomOffered.subject', { event }),
      [say('mail.roomOffered.text', room), say('mail.offered.until', { deadline: '{{housing.deadline}}' })],
      [button(say('mail.roomOffered.button'), 'myRegistration')],
    ),
  'housing.filled': ({ say }) =>
    mail(
      say('mail.roomFilled.subject', { event }),
      [say('mail.roomFilled.text', room), say('mail.roomConfirmed.pay')],
      [button(say('mail.roomFilled.button'), 'myRegistration')],
    ),
  'housing.guaranteeDue': ({ say }) =>
    mail(
      say('mail.roomDue.subject', { event }),
      [say('mail.roomDue.text', room), say('mail.roomDue.until', { deadline: '{{housing.deadline}}' })],
      [button(say('mail.roomDue.button'), 'myRegistration')],
    ),
  'group.invited': ({ say }) =>
    mail(
      say('mail.groupInvited.subject', { inviter: '{{group.inviter}}', group: '{{group.name}}', event }),
      [say('mail.groupInvited.text', { group: '{{group.name}}' }), say('mail.groupInvited.until', { deadline: '{{invite.expiresAt}}' })],
      [ownWords, details, button(say('mail.groupInvited.button'), 'invite')],
    ),
  'appointment.booked': ({ say }, reader) => {
    const asked = reader === 'personAsked' || reader === 'companyAsked'
    const [who, moment] = ['{{appointment.with}}', '{{appointment.startsAt}}']
    return mail(
      asked ? say('mail.meetingAsked.subject', { who, event }) : say('mail.meeting.subject', { who, event }),
      [
        asked ? say('mail.meetingAsked.text', { who, moment }) : say('mail.meeting.text', { who, moment }),
        say('mail.meeting.place', { place: '{{appointment.booth|–}}' }),
      ],
      reader === 'company' || reader === 'companyAsked'
        ? [sentences(say('mail.meeting.shared'), '{{appointment.shared}}'), quoted('appointment.message')]
        : [shown('appointment.company', say('mail.meeting.sharing')), button(say('mail.myRegistration'), 'myRegistration')],
    )
  },
  'appointment.cancelled': ({ say }) =>
    mail(
      say('mail.meetingCancelled.subject', { who: '{{appointment.with}}', event }),
      [say('mail.meetingCancelled.text', { who: '{{appointment.with}}', moment: '{{appointment.startsAt}}' })],
      [quoted('appointment.reason')],
    ),
}

export const builtIn = (trigger: EmailTrigger, words: Words, reader: Reader = 'person'): MailText | null =>
  BUILT_IN[trigger]?.(words, reader) ?? null

/** People count on these: an event can write its own, but not keep them from going out. */
export const isAlwaysSent = (trigger: EmailTrigger) =>
  trigger === 'registration.completed' ||
  trigger === 'group.invited' ||
  trigger.startsWith('payment.') ||
  trigger.startsWith('appointment.')

const OPERATIONAL: ReadonlySet<EmailTrigger> = new Set([
  'group.invited',
  'company.invited',
  'speaker.invited',
  'staff.invited',
  'session.cancelled',
  'survey.invited',
])

export const categoryOf = (trigger: EmailTrigger) => (OPERATIONAL.has(trigger) ? 'operational' : 'transactional')
