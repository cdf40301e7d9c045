import type { Translator } from '../../../kernel/language/translator.ts'
import { MERGE_FIELD_PATTERN } from '../../configuration/merge-fields.ts'
import type { EmailBlock } from '../../configuration/schema/emails.ts'
import { buildParagraphs } from '../rendering/notice.ts'
import type { EmailTrigger } from './built-in.ts'

/** Content that an email about an event must contain, and the email block that adds it. */
interface Requirement {
  isMet: (found: FoundContent) => boolean
  block: (words: Translator) => EmailBlock
}

/** Content that every recipient of an email sees: names of merge fields and links, and types of blocks. */
interface FoundContent {
  fields: ReadonlySet<string>
  links: ReadonlySet<string>
  types: ReadonlySet<string>
}

type LabelKey =
  `mail.required.${'number' | 'amount' | 'receipt' | 'balance' | 'inviter' | 'expiry' | 'product' | 'price' | 'deadline' | 'session' | 'time' | 'place' | 'hotel' | 'nights' | 'booking' | 'booth' | 'request'}`

/** Requires a line such as "Confirmation number: …", unless the email contains its merge field or one of the given alternatives. */
const line = (label: LabelKey, text: string, ...fields: string[]): Requirement => ({
  isMet: (found) => fields.some((field) => found.fields.has(field)),
  block: ({ say }) => ({
    ...buildParagraphs(say('label.value', { label: say(label), value: text })),
    id: `required-${fields[0]!.replace('.', '-')}`,
  }),
})
const field = (label: LabelKey, ...fields: string[]) => line(label, `{{${fields[0]!}|–}}`, ...fields)

const linkTo = (
  label:
    | 'mail.block.button'
    | 'mail.boothOffer.button'
    | 'mail.groupInvited.button'
    | 'mail.incomplete.button'
    | 'mail.myRegistration'
    | 'mail.pay'
    | 'mail.portal.button'
    | 'mail.required.survey'
    | 'mail.submissionReceived.button',
  ...links: string[]
): Requirement => ({
  isMet: (found) => links.some((link) => found.links.has(link)),
  block: ({ say }) => ({
    id: `required-${links[0]!}`,
    type: 'button',
    label: say(label),
    href: null,
    link: links[0]!,
    style: 'primary',
    showWhen: null,
  }),
})

const orderSummary: Requirement = {
  isMet: ({ types }) => types.has('orderSummary'),
  block: () => ({ id: 'required-order', type: 'orderSummary', showPaid: true, showWhen: null }),
}
const badge: Requirement = {
  isMet: ({ types }) => types.has('qrBadge'),
  block: () => ({ id: 'required-badge', type: 'qrBadge', size: 200, caption: null, showWhen: null }),
}

const number = field('mail.required.number', 'participant.confirmationNumber')
const myRegistration = linkTo('mail.myRegistration', 'myRegistration')
const registered = [number, orderSummary, badge, myRegistration]
const amount = field('mail.required.amount', 'order.amount', 'order.paid', 'order.total')
const receipt = field('mail.required.receipt', 'order.receiptNumber', 'order.invoiceNumber')
const pay = linkTo('mail.pay', 'pay')
/** Requires the email's text to contain the name of the waitlisted product, or of the event if the waiting list is for the event. */
const product: Requirement = {
  isMet: ({ fields }) => fields.has('product.name'),
  block: ({ say }) => ({
    ...buildParagraphs(
      say('label.value', { label: say('mail.required.product'), value: `{{product.name|${say('mail.waitlist.event')}}}` }),
    ),
    id: 'required-product-name',
  }),
}
const invited = (inviter: string) => [
  field('mail.required.inviter', inviter, 'group.inviter', 'invite.inviter'),
  field('mail.required.expiry', 'invite.expiresAt'),
  linkTo('mail.groupInvited.button', 'invite'),
]
const hotel = field('mail.required.hotel', 'housing.hotelName')
const nights = line('mail.required.nights', '{{housing.checkIn}} – {{housing.checkOut}}', 'housing.checkIn')
const booked = [hotel, nights, field('mail.required.booking', 'housing.ackNumber')]
const roomDeadline = field('mail.required.deadline', 'housing.deadline')
const meeting = field('mail.required.time', 'appointment.startsAt')
const blockRequest = [field('mail.required.request', 'block.number'), linkTo('mail.block.button', 'blockRequest')]
const boothNumbers = field('mail.required.booth', 'company.boothNumber')
const booth = line('mail.required.place', '{{appointment.booth|–}}', 'appointment.booth')

/** The required content of each email that an event can replace, by trigger. Triggers without an entry require no content. */
const REQUIRED_CONTENT: Partial<Record<EmailTrigger, readonly Requirement[]>> = {
  'registration.completed': registered,
  'registration.updated': registered,
  'registration.substituted': registered,
  'registration.cancelled': [number, orderSummary],
  'registration.incomplete': [linkTo('mail.incomplete.button', 'register', 'myRegistration')],
  'payment.received': [amount, receipt],
  'payment.refunded': [amount, receipt],
  'payment.due': [field('mail.required.balance', 'order.balance', 'order.amount', 'order.total'), pay],
  'payment.failed': [amount, pay],
  'waitlist.joined': [product, myRegistration],
  'waitlist.offered': [
    product,
    field('mail.required.price', 'product.price'),
    field('mail.required.deadline', 'product.deadline'),
    myRegistration,
  ],
  // The email about a promotion from the waiting list must contain the confirmation number, because it can be the only confirmation.
  'waitlist.promoted': [product, number],
  'waitlist.expired': [product],
  'group.invited': invited('group.inviter'),
  'company.invited': [...invited('invite.inviter'), linkTo('mail.portal.button', 'exhibitorPortal')],
  'speaker.invited': invited('invite.inviter'),
  'staff.invited': invited('invite.inviter'),
  'group.memberAdded': [orderSummary],
  'guest.added': [orderSummary],
  'submission.received': [linkTo('mail.submissionReceived.button', 'invite')],
  'submission.decided': [linkTo('mail.submissionReceived.button', 'invite')],
  'session.cancelled': [field('mail.required.session', 'session.title'), field('mail.required.time', 'session.startsAt')],
  'housing.confirmed': booked,
  'housing.changed': booked,
  'housing.filled': booked,
  'housing.cancelled': booked,
  'housing.waitlisted': [hotel, nights],
  'housing.offered': [hotel, nights, roomDeadline, myRegistration],
  'housing.guaranteeDue': [hotel, nights, roomDeadline, myRegistration],
  'booth.application': [boothNumbers, field('mail.required.deadline', 'application.until'), linkTo('mail.boothOffer.button', 'offer')],
  'booth.assigned': [boothNumbers],
  'block.received': blockRequest,
  'block.allocated': blockRequest,
  'block.amended': blockRequest,
  'block.released': blockRequest,
  'appointment.booked': [meeting, booth],
  'appointment.changed': [meeting, booth],
  'appointment.cancelled': [meeting],
  'survey.invited': [linkTo('mail.required.survey', 'survey')],
  'upsell.accepted': [orderSummary, pay],
}

/**
 * Appends required content that is missing in an event's custom email, before its footer; for example the link of an invitation. A block
 * that only some recipients see, because of `showWhen`, does not count as present.
 */
export function addRequiredEmailBlocks(trigger: EmailTrigger, blocks: readonly EmailBlock[], words: Translator): readonly EmailBlock[] {
  const found = findContent(blocks)
  const missing = (REQUIRED_CONTENT[trigger] ?? []).filter(({ isMet }) => !isMet(found)).map(({ block }) => block(words))
  if (missing.length === 0) return blocks
  const footer = blocks.findIndex(({ type }) => type === 'footer')
  return footer < 0 ? [...blocks, ...missing] : [...blocks.slice(0, footer), ...missing, ...blocks.slice(footer)]
}

function findContent(blocks: readonly EmailBlock[]): FoundContent {
  const shown = blocks
    .filter(({ showWhen }) => showWhen === null)
    .flatMap((block) => (block.type === 'columns' ? (block.blocks as EmailBlock[]).filter(({ showWhen }) => showWhen === null) : [block]))
  const fields = new Set([...JSON.stringify(shown).matchAll(MERGE_FIELD_PATTERN)].map(([, name]) => name!))
  const buttons = shown.flatMap((block) => (block.type === 'button' && block.link !== null ? [block.link.replace(/^links\./, '')] : []))
  const links = [...fields].flatMap((name) => (name.startsWith('links.') ? [name.slice('links.'.length)] : []))
  return { fields, links: new Set([...buttons, ...links]), types: new Set(shown.map(({ type }) => type)) }
}
