import { type Configuration, readDraftConfiguration, readLiveConfiguration } from '../../../../domains/configuration/read.ts'
import { type ListedEmail, listEventEmails } from '../../../../domains/messages/event-mail/email-list.ts'
import { renderEventEmail } from '../../../../domains/messages/event-mail/send.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { addDays } from '../../../../kernel/time.ts'
import type { WebContext, WebServices } from '../../web.ts'
import { CONSOLE_EVENT_PATH, type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import type { Permission } from '../../../../kernel/permissions.ts'

export const EMAILS_PATH = `${CONSOLE_EVENT_PATH}/emails`
export const EMAIL_PATH = `${EMAILS_PATH}/:email`

/** The data of a console page about the event's emails, which come from the draft or from the live version. */
export interface EmailsPageContext extends EventPageContext {
  configuration: Configuration
  emails: ListedEmail[]
  /** Whether the page shows the draft; otherwise the live version. */
  isDraft: boolean
  locale: string
  /** All languages of the event, its main language first. */
  locales: readonly string[]
}

/**
 * Reads the emails that a console page shows. With `draft`, ignores the version in the URL and reads the draft, because only emails of
 * the draft can be edited.
 */
export async function getEmailsPageContext(
  web: WebServices,
  c: WebContext,
  see: Permission,
  { draft: isEdited = false } = {},
): Promise<EmailsPageContext> {
  const at = await getEventPageContext(web, c, see)
  const draft = await readDraftConfiguration(at.reading)
  const live = await readLiveConfiguration(at.reading, draft)
  const isDraft = isEdited || c.req.query('version') === 'draft' || live === null
  const configuration = isDraft ? draft : live
  const locales = [draft.facts.locale, ...draft.facts.locales.filter((one) => one !== draft.facts.locale)]
  const locale = locales.find((one) => one === c.req.query('lang')) ?? draft.facts.locale
  return { ...at, configuration, emails: listEventEmails(configuration.config, locale), isDraft, locale, locales }
}

export interface EmailPageContext extends EmailsPageContext {
  email: ListedEmail
  here: string
}

export async function getEmailPageContext(web: WebServices, c: WebContext, see: Permission, show = {}): Promise<EmailPageContext> {
  const at = await getEmailsPageContext(web, c, see, show)
  const email = at.emails.find(({ key }) => key === c.req.param('email'))
  if (!email) throw notFound('This email does not exist')
  return { ...at, email, here: `${at.base}/emails/${email.key}` }
}

/** Returns example values, so that a preview reads like an email to a person. They are not stored. */
function exampleValues({ event }: EventContext, { facts, config }: Configuration) {
  const product = config.products.find(({ retired }) => !retired)
  const amount = { amount: '90.00', currency: event.currency }
  return {
    'participant.firstName': 'Ana',
    'participant.lastName': 'Kovač',
    'participant.fullName': 'Ana Kovač',
    'participant.confirmationNumber': 'ABC-123',
    'contact.firstName': 'Ana',
    'contact.lastName': 'Kovač',
    'contact.fullName': 'Ana Kovač',
    'group.inviter': 'Marta Novak',
    'invite.inviter': 'Marta Novak',
    'product.name': product?.name ?? 'Workshop',
    'product.price': amount,
    'product.deadline': { instant: new Date(facts.now.getTime() + 48 * 3_600_000), zone: facts.timezone },
    'order.amount': amount,
    'order.balance': amount,
    'order.receiptNumber': 'RC-000001',
    'group.name': 'University of Zagreb',
    'housing.hotelName': 'Grand Hotel',
    'housing.checkIn': { day: addDays(facts.startsOn, -1) },
    'housing.checkOut': { day: facts.endsOn },
    'housing.ackNumber': '12345678',
    'block.name': 'University of Zagreb',
    'block.deadline': { day: addDays(facts.startsOn, -30) },
    'block.unbooked': '12',
    'appointment.with': 'Cardia Systems',
    'appointment.startsAt': { instant: new Date(facts.now.getTime() + 72 * 3_600_000), zone: facts.timezone },
  }
}

/** Renders the email to an example recipient. Null if the email is turned off. An email of the draft is rendered as test data. */
export const renderExampleEmail = (
  ctx: EventContext,
  { configuration, isDraft, locale }: Pick<EmailsPageContext, 'configuration' | 'isDraft' | 'locale'>,
  { trigger, own }: Pick<ListedEmail, 'trigger' | 'own'>,
) =>
  renderEventEmail(ctx, {
    trigger,
    emailCode: own?.code ?? null,
    participant: null,
    to: { email: 'ana.kovac@example.org', name: 'Ana Kovač', locale },
    values: exampleValues(ctx, configuration),
    isTestData: isDraft,
  })
