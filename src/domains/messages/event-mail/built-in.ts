import type { Translator } from '../../../kernel/language/translator.ts'
import type { EMAIL_TRIGGERS, EmailBlock } from '../../configuration/schema/emails.ts'
import { buildHeading, buildParagraphs } from '../rendering/notice.ts'

export type EmailTrigger = (typeof EMAIL_TRIGGERS)[number]

/** An email template with merge fields, either the event's own or built in. */
export interface EmailTemplate {
  subject: string
  preheader: string | null
  blocks: readonly EmailBlock[]
  attachments: readonly ('invoice' | 'calendar' | 'badge')[]
}

/**
 * The recipient of an appointment email: the participant or the company, which get different texts. `Asked` means that the appointment
 * awaits approval.
 */
export type EmailAudience = 'person' | 'company' | 'personAsked' | 'companyAsked' | 'blockOwner'

const button = (label: string, link: string, showWhen: EmailBlock['showWhen'] = null): EmailBlock => ({
  id: 'button',
  type: 'button',
  label,
  href: null,
  link,
  style: 'primary',
  showWhen,
})
/** Renders a secondary button below the main button of an email. */
const portalButton = (label: string): EmailBlock => ({ ...button(label, 'exhibitorPortal'), id: 'portal' })
const order: EmailBlock = { id: 'order', type: 'orderSummary', showPaid: true, showWhen: null }
const details: EmailBlock = { id: 'event', type: 'eventDetails', show: ['name', 'dates', 'venue'], showWhen: null }

/** A paragraph that is shown only if the field has a value. */
const showWhenSet = (field: string, text: string): EmailBlock => ({
  ...buildParagraphs(text),
  id: 'where-set',
  showWhen: { binding: `@${field}`, op: 'isSet' },
})
/** A paragraph that quotes a message typed by a user; omitted if there is no message. */
const quoted = (field: string) => showWhenSet(field, `{{${field}}}`)
const ownWords = quoted('invite.message')

const event = '{{event.name}}'
const amount = '{{order.amount}}'
const receipt = '{{order.receiptNumber}}'

const company = '{{company.name}}'
const booths = '{{company.boothNumber}}'

const block = {
  number: '{{block.number}}',
  requester: '{{block.requester}}',
  nights: '{{block.roomNights}}',
  granted: '{{block.granted}}',
  released: '{{block.released}}',
  from: '{{block.firstNight}}',
  until: '{{block.lastNight}}',
  hotels: '{{block.hotels|–}}',
}

const room = {
  hotel: '{{housing.hotelName}}',
  checkIn: '{{housing.checkIn}}',
  checkOut: '{{housing.checkOut}}',
  number: '{{housing.ackNumber}}',
}

/** Merge fields that show a room block and its deadline to the owner of the block. */
const ownedBlock = { block: '{{block.name}}', deadline: '{{block.deadline}}', unbooked: '{{block.unbooked}}' }

const buildTemplate = (subject: string, texts: readonly string[], more: readonly EmailBlock[], calendar = false): EmailTemplate => ({
  subject,
  preheader: texts[0]!,
  blocks: [buildHeading(subject), buildParagraphs(...texts), ...more],
  attachments: calendar ? ['calendar'] : [],
})

/** The end of every email about a room request: the reason that a user typed, the last day to accept, and the link. */
const blockRequestEnd = ({ say }: Translator): EmailBlock[] => [
  quoted('block.reason'),
  { ...showWhenSet('block.acceptBy', say('mail.block.until', { deadline: '{{block.acceptBy}}' })), id: 'accept-by' },
  button(say('mail.block.button'), 'blockRequest'),
]

/** The product that the recipient is on the waiting list for, as a merge field. If there is no product, the email says "the event". */
const waitlistTarget = ({ say }: Translator) => `{{product.name|${say('mail.waitlist.event')}}}`

/**
 * The built-in emails, which an event uses if it has none of its own. Their texts contain merge fields, so that one compiled email serves
 * all recipients.
 */
const BUILT_IN_EMAILS: Partial<Record<EmailTrigger, (words: Translator, reader: EmailAudience) => EmailTemplate>> = {
  'registration.completed': ({ say }) =>
    buildTemplate(
      say('mail.completed.subject', { event }),
      [say('mail.completed.text', { event, number: '{{participant.confirmationNumber}}' })],
      [details, order, button(say('mail.myRegistration'), 'myRegistration')],
      true,
    ),
  'registration.cancelled': ({ say }) =>
    buildTemplate(
      say('mail.cancelled.subject', { event }),
      [say('mail.cancelled.text')],
      [showWhenSet('substitution.passedOn', say('mail.cancelled.transferred')), order],
    ),
  'registration.incomplete': ({ say }) =>
    buildTemplate(
      say('mail.incomplete.subject', { event }),
      [say('mail.incomplete.text')],
      [button(say('mail.incomplete.button'), 'register')],
    ),
  'registration.substituted': ({ say }) =>
    buildTemplate(
      say('mail.substituted.subject', { event }),
      [say('mail.substituted.text', { event, number: '{{participant.confirmationNumber}}' })],
      [
        showWhenSet('substitution.missing', say('mail.substituted.missing')),
        details,
        order,
        button(say('mail.myRegistration'), 'myRegistration'),
      ],
      true,
    ),
  'waitlist.joined': (words) =>
    buildTemplate(
      words.say('mail.joined.subject', { event }),
      [words.say('mail.joined.text', { place: waitlistTarget(words) }), words.say('mail.joined.next'), words.say('mail.joined.leave')],
      [button(words.say('mail.myWaitlist'), 'myRegistration')],
    ),
  'waitlist.offered': (words) =>
    buildTemplate(
      words.say('mail.offered.subject', { event }),
      [
        words.say('mail.offered.text', { place: waitlistTarget(words), price: '{{product.price}}' }),
        words.say('mail.offered.until', { deadline: '{{product.deadline}}' }),
      ],
      [button(words.say('mail.offered.button'), 'pay')],
    ),
  'waitlist.promoted': (words) =>
    buildTemplate(
      words.say('mail.promoted.subject', { event }),
      [
        words.say('mail.promoted.text', { place: waitlistTarget(words) }),
        words.say('mail.promoted.number', { number: '{{participant.confirmationNumber}}' }),
      ],
      [details, order, button(words.say('mail.myRegistration'), 'myRegistration')],
      true,
    ),
  'waitlist.expired': (words) =>
    buildTemplate(
      words.say('mail.expired.subject', { event }),
      [words.say('mail.expired.text', { place: waitlistTarget(words), deadline: '{{product.deadline}}' }), words.say('mail.expired.next')],
      [button(words.say('mail.myRegistration'), 'myRegistration')],
    ),
  'payment.received': ({ say }) =>
    buildTemplate(say('mail.received.subject', { event }), [say('mail.received.text', { amount, receipt })], [order]),
  'payment.due': ({ say }) =>
    buildTemplate(
      say('mail.due.subject', { event }),
      [say('mail.due.text', { balance: '{{order.balance}}', day: '{{order.dueOn}}' })],
      [order, button(say('mail.pay'), 'pay')],
    ),
  'payment.failed': ({ say }) =>
    buildTemplate(say('mail.failed.subject', { event }), [say('mail.failed.text', { amount })], [button(say('mail.pay'), 'pay')]),
  'payment.refunded': ({ say }) =>
    buildTemplate(say('mail.refunded.subject', { event }), [say('mail.refunded.text', { amount, receipt })], [order]),
  'housing.confirmed': ({ say }) =>
    buildTemplate(
      say('mail.roomConfirmed.subject', { event }),
      [say('mail.roomConfirmed.text', room), say('mail.roomConfirmed.pay')],
      [button(say('mail.myRegistration'), 'myRegistration')],
    ),
  'housing.changed': ({ say }) =>
    buildTemplate(
      say('mail.roomChanged.subject', { event }),
      [say('mail.roomChanged.text', room), say('mail.roomChanged.price')],
      [button(say('mail.myRegistration'), 'myRegistration')],
    ),
  'housing.cancelled': ({ say }) => buildTemplate(say('mail.roomCancelled.subject', { event }), [say('mail.roomCancelled.text', room)], []),
  'housing.waitlisted': ({ say }) =>
    buildTemplate(say('mail.roomWaitlisted.subject', { event }), [say('mail.roomWaitlisted.text', room)], []),
  'housing.offered': ({ say }) =>
    buildTemplate(
      say('mail.roomOffered.subject', { event }),
      [say('mail.roomOffered.text', room), say('mail.offered.until', { deadline: '{{housing.deadline}}' })],
      [button(say('mail.roomOffered.button'), 'myRegistration')],
    ),
  'housing.filled': ({ say }) =>
    buildTemplate(
      say('mail.roomFilled.subject', { event }),
      [say('mail.roomFilled.text', room), say('mail.roomConfirmed.pay')],
      [button(say('mail.roomFilled.button'), 'myRegistration')],
    ),
  'housing.guaranteeDue': ({ say }) =>
    buildTemplate(
      say('mail.roomDue.subject', { event }),
      [say('mail.roomDue.text', room), say('mail.roomDue.until', { deadline: '{{housing.deadline}}' })],
      [button(say('mail.roomDue.button'), 'myRegistration')],
    ),
  'block.nameDeadline': ({ say }) =>
    buildTemplate(
      say('mail.blockDeadline.subject', { ...ownedBlock, event }),
      [say('mail.blockDeadline.text', ownedBlock), say('mail.blockDeadline.then')],
      [details],
    ),
  'group.invited': ({ say }) =>
    buildTemplate(
      say('mail.groupInvited.subject', { inviter: '{{group.inviter}}', group: '{{group.name}}', event }),
      [say('mail.groupInvited.text', { group: '{{group.name}}' }), say('mail.groupInvited.until', { deadline: '{{invite.expiresAt}}' })],
      [
        ownWords,
        showWhenSet('group.joinCode', say('mail.groupInvited.joinCode', { code: '{{group.joinCode}}' })),
        details,
        button(say('mail.groupInvited.button'), 'invite'),
      ],
    ),
  'company.invited': ({ say }) =>
    buildTemplate(
      say('mail.companyInvited.subject', { company: '{{company.name}}', event }),
      [say('mail.companyInvited.text', { inviter: '{{invite.inviter}}', company: '{{company.name}}', event })],
      [ownWords, details, button(say('mail.companyInvited.button'), 'invite'), portalButton(say('mail.portal.button'))],
    ),
  'booth.application': ({ say }) =>
    buildTemplate(
      say('mail.boothOffer.subject', { booths, event }),
      [
        say('mail.boothOffer.text', { company, booths, event, amount: '{{application.amount}}' }),
        say('mail.boothOffer.until', { deadline: '{{application.until}}' }),
      ],
      [details, button(say('mail.boothOffer.button'), 'offer'), portalButton(say('mail.portal.button'))],
    ),
  'booth.assigned': ({ say }) =>
    buildTemplate(
      say('mail.boothAssigned.subject', { booths, event }),
      [say('mail.boothAssigned.text', { company, booths, event }), say('mail.boothAssigned.number', { number: '{{application.number}}' })],
      [ownWords, details, portalButton(say('mail.portal.button'))],
    ),
  'block.received': (words) =>
    buildTemplate(
      words.say('mail.blockReceived.subject', { ...block, event }),
      [words.say('mail.blockReceived.text', block), words.say('mail.blockReceived.next')],
      blockRequestEnd(words),
    ),
  'block.allocated': (words) =>
    buildTemplate(
      words.say('mail.blockAllocated.subject', { ...block, event }),
      [words.say('mail.blockAllocated.text', block)],
      blockRequestEnd(words),
    ),
  'block.amended': (words) => {
    const subject = words.say('mail.blockAmended.subject', { ...block, event })
    const decided = (decision: 'approved' | 'denied' | 'changed'): EmailBlock => ({
      ...buildParagraphs(words.say(`mail.blockAmended.${decision}`, block)),
      id: decision,
      showWhen: { binding: '@block.decision', op: 'equals', value: decision },
    })
    return {
      subject,
      preheader: null,
      blocks: [
        buildHeading(subject),
        decided('approved'),
        decided('denied'),
        decided('changed'),
        buildParagraphs(words.say('mail.block.rooms', block)),
        ...blockRequestEnd(words),
      ],
      attachments: [],
    }
  },
  // A room block created from a room request is identified by the number of that request. Other room blocks have no page to link to.
  'block.released': (words) => {
    const { say } = words
    const forRequest = (one: EmailBlock): EmailBlock => ({ ...one, showWhen: one.showWhen ?? { binding: '@block.number', op: 'isSet' } })
    return buildTemplate(
      say('mail.blockEnded.subject', { event }),
      [],
      [
        { ...showWhenSet('block.unbooked', say('mail.blockEnded.text', ownedBlock)), id: 'ended' },
        { ...showWhenSet('block.number', say('mail.blockReleased.text', block)), id: 'released' },
        { ...showWhenSet('block.number', say('mail.block.rooms', block)), id: 'rooms' },
        { ...showWhenSet('block.unbooked', say('mail.blockEnded.kept')), id: 'kept' },
        ...blockRequestEnd(words).map(forRequest),
        details,
      ],
    )
  },
  'appointment.booked': ({ say }, reader) => {
    const asked = reader === 'personAsked' || reader === 'companyAsked'
    const [who, moment] = ['{{appointment.with}}', '{{appointment.startsAt}}']
    return buildTemplate(
      asked ? say('mail.meetingRequested.subject', { who, event }) : say('mail.meeting.subject', { who, event }),
      [
        asked ? say('mail.meetingRequested.text', { who, moment }) : say('mail.meeting.text', { who, moment }),
        say('mail.meeting.place', { place: '{{appointment.booth|–}}' }),
      ],
      reader === 'company' || reader === 'companyAsked'
        ? [
            buildParagraphs(say('mail.meeting.shared'), '{{appointment.shared}}'),
            quoted('appointment.message'),
            portalButton(say('mail.portal.button')),
          ]
        : [showWhenSet('appointment.company', say('mail.meeting.sharing')), button(say('mail.myRegistration'), 'myRegistration')],
    )
  },
  'appointment.cancelled': ({ say }) =>
    buildTemplate(
      say('mail.meetingCancelled.subject', { who: '{{appointment.with}}', event }),
      [say('mail.meetingCancelled.text', { who: '{{appointment.with}}', moment: '{{appointment.startsAt}}' })],
      [quoted('appointment.reason')],
    ),
  'speaker.invited': ({ say }) =>
    buildTemplate(
      say('mail.speakerInvited.subject', { inviter: '{{invite.inviter}}', event }),
      [say('mail.speakerInvited.text', { event }), say('mail.groupInvited.until', { deadline: '{{invite.expiresAt}}' })],
      [ownWords, details, button(say('mail.speakerInvited.button'), 'invite')],
    ),
  'submission.received': ({ say }) =>
    buildTemplate(
      say('mail.submissionReceived.subject', { title: '{{submission.title}}' }),
      [say('mail.submissionReceived.text', { event, number: '{{submission.number}}' })],
      [button(say('mail.submissionReceived.button'), 'invite')],
    ),
  'submission.decided': ({ say }) => {
    const title = '{{submission.title}}'
    const subject = say('mail.submissionDecided.subject', { title })
    const decided = (decision: string, text: string): EmailBlock => ({
      ...buildParagraphs(text),
      id: decision,
      showWhen: { binding: '@submission.decision', op: 'equals', value: decision },
    })
    const isAccepted = { binding: '@submission.decision', op: 'equals', value: 'accepted' } as const
    return {
      subject,
      preheader: null,
      blocks: [
        buildHeading(subject),
        decided('accepted', say('mail.submissionDecided.accepted', { title, event, deadline: '{{submission.deadline}}' })),
        decided('backup', say('mail.submissionDecided.backup', { title, event })),
        decided('rejected', say('mail.submissionDecided.rejected', { title, event })),
        button(say('mail.submissionDecided.confirm'), 'invite', isAccepted),
        { ...button(say('mail.submissionReceived.button'), 'invite', { ...isAccepted, op: 'notEquals' }), id: 'view' },
      ],
      attachments: [],
    }
  },
  'session.cancelled': ({ say }) =>
    buildTemplate(
      say('mail.sessionCancelled.subject', { session: '{{session.title}}', event }),
      [say('mail.sessionCancelled.text', { session: '{{session.title}}', moment: '{{session.startsAt|–}}' })],
      [quoted('session.reason')],
    ),
}

export const findBuiltInEmail = (trigger: EmailTrigger, words: Translator, reader: EmailAudience = 'person'): EmailTemplate | null =>
  BUILT_IN_EMAILS[trigger]?.(words, reader) ?? null

/** Emails that are always sent: an event can replace them, but not turn them off. */
export const isAlwaysSentEmail = (trigger: EmailTrigger) =>
  trigger === 'registration.completed' ||
  trigger === 'group.invited' ||
  trigger === 'speaker.invited' ||
  trigger === 'submission.decided' ||
  trigger.startsWith('payment.') ||
  trigger.startsWith('appointment.')

const OPERATIONAL_TRIGGERS: ReadonlySet<EmailTrigger> = new Set([
  'group.invited',
  'company.invited',
  'speaker.invited',
  'staff.invited',
  'session.cancelled',
  'survey.invited',
])

export const getEmailCategory = (trigger: EmailTrigger) => (OPERATIONAL_TRIGGERS.has(trigger) ? 'operational' : 'transactional')
