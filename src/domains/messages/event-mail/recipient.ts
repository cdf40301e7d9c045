import { isConditionMet, isTagRuleMet } from '../../../kernel/conditions.ts'
import { chooseTranslator } from '../../../kernel/language/translator.ts'
import { findPrice } from '../../configuration/flow/prices.ts'
import type { EventConfigFacts } from '../../configuration/read.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import { buildEventPageUrls } from '../../tenancy/public-pages.ts'
import type { MergeFieldValue, EmailPicture, EmailProduct, EmailRecipient } from '../rendering/recipient.ts'
import type { EmailOrderData } from './order.ts'
import {
  formatAnswerMergeField,
  formatCountryForEmail,
  formatFullName,
  type EmailParticipantRow,
  formatParticipantMergeField,
  getParticipantProperty,
} from './person.ts'
import type { EventEmailContext } from './email-context.ts'

/** All data that an event email can contain. */
export interface EventEmailData {
  /** The event configuration, translated to the language of the email. */
  config: EventConfig
  facts: EventConfigFacts
  locale: string
  person: EmailParticipantRow | null
  to: { email: string; name?: string | null | undefined }
  order: EmailOrderData | null
  /** Quantity of each product that the participant holds, by product code. */
  held: ReadonlyMap<string, number>
  group: { name: string; code: string } | null
  sender: { name: string; email: string | null; postalAddress: string | null }
  badge: EmailPicture | null
  /** Merge field values from the sender, which override record data. */
  values: Readonly<Record<string, MergeFieldValue>>
}

type Fields = Record<string, (name: string) => MergeFieldValue>

export function buildEmailRecipient(ctx: EventEmailContext, data: EventEmailData): EmailRecipient {
  const { values, config, facts, order, sender, badge, person } = data
  const fields = buildFields(ctx, data)
  const words = chooseTranslator(data.locale)
  const { venue } = config.details
  const address = [venue?.address, venue?.city, formatCountryForEmail(venue?.country, data.locale)].filter(Boolean).join(', ')
  return {
    value: (path) => {
      if (Object.hasOwn(values, path)) return values[path]
      const [entity = '', name = ''] = path.split('.', 2)
      return Object.hasOwn(fields, entity) ? fields[entity]!(name) : null
    },
    shows: (condition) => isConditionMet(condition, (binding) => resolveBinding(binding, data), facts.timezone),
    event: {
      name: config.details.name,
      startsOn: facts.startsOn,
      endsOn: facts.endsOn,
      ...(venue ? { venue: venue.name ?? '', address } : {}),
      ...(config.details.website ? { website: config.details.website } : {}),
    },
    ...(order ? { order: order.summary } : {}),
    ...(badge ? { badge } : {}),
    products: (block) => listVisibleProducts(data, block.productCodes, 'category' in block ? block.category : null, person?.tags ?? []),
    footer: {
      why: words.say('mail.event.why', { client: sender.name, event: config.details.name }),
      ...(sender.postalAddress ? { postalAddress: sender.postalAddress } : {}),
    },
  }
}

function buildFields(ctx: EventEmailContext, data: EventEmailData): Fields {
  const { config, facts, locale, person, to, order, group, sender } = data
  const { details } = config
  const words = chooseTranslator(locale)
  const pages = buildEventPageUrls(ctx)
  const event: Record<string, MergeFieldValue> = {
    name: details.name,
    code: ctx.event.code,
    startsOn: { day: facts.startsOn },
    endsOn: { day: facts.endsOn },
    dates: { from: facts.startsOn, until: facts.endsOn },
    summary: details.summary,
    venue: details.venue?.name,
    address: details.venue?.address,
    city: details.venue?.city,
    country: formatCountryForEmail(details.venue?.country, locale),
    website: details.website,
    contactEmail: details.contactEmail,
    url: pages.home,
  }
  const flow = person?.flow_slug ?? config.flows.find(({ retired }) => !retired)?.slug
  const links: Record<string, MergeFieldValue> = {
    myRegistration: pages.myRegistration,
    register: flow === undefined ? pages.home : pages.register(flow),
    pay: pages.pay,
    exhibitorPortal: pages.exhibitor,
  }
  const contact: Record<string, MergeFieldValue> = {
    firstName: person?.first_name,
    lastName: person?.last_name,
    fullName: person ? formatFullName(person) : to.name,
    email: to.email,
    company: person?.company,
  }
  const own = (values: Record<string, MergeFieldValue>) => (name: string) => (Object.hasOwn(values, name) ? values[name] : null)
  return {
    participant: (name) => (person ? formatParticipantMergeField(person, name, words, locale) : null),
    custom: (code) => {
      const field = config.customFields.find((one) => one.code === code)
      const answers = person?.custom_field_responses ?? {}
      return field && Object.hasOwn(answers, code) ? formatAnswerMergeField(field, answers[code], locale) : null
    },
    event: own(event),
    order: own(order?.fields ?? {}),
    links: own(links),
    contact: own(contact),
    group: own(group ?? {}),
    sender: own({ name: sender.name, email: sender.email }),
  }
}

/**
 * Returns the value of a binding (such as `@participant.firstName`) in the display condition of an email block. Flows have the same
 * bindings.
 */
function resolveBinding(binding: string, { person, order, held, values }: EventEmailData): unknown {
  const [entity, name = ''] = binding.slice(1).split('.', 2)
  switch (entity) {
    case 'participant':
      return name === 'tags'
        ? (person?.tags ?? [])
        : name === 'status'
          ? person?.status
          : person
            ? getParticipantProperty(person, name)
            : undefined
    case 'custom':
      return person && Object.hasOwn(person.custom_field_responses, name) ? person.custom_field_responses[name] : undefined
    case 'product':
      return held.get(name) ?? 0
    case 'flow':
      return person?.flow_slug
    case 'discount':
      return order?.discountCode
    default: {
      const answers = person?.answers ?? {}
      return Object.hasOwn(answers, binding) ? answers[binding] : values[binding.slice(1)]
    }
  }
}

/** Lists the products that the recipient of an email may see, at today's price. */
function listVisibleProducts(
  { config, facts }: EventEmailData,
  codes: readonly string[],
  category: string | null,
  tags: readonly string[],
): EmailProduct[] {
  const chosen = config.products.filter(
    ({ code, category: kind, retired }) => !retired && (codes.length > 0 ? codes.includes(code) : category === null || kind === category),
  )
  return chosen
    .filter(({ visibleForTags }) => isTagRuleMet(visibleForTags, tags))
    .flatMap((product) => {
      const price = findPrice(product, { tags, at: facts.now, timezone: facts.timezone })
      return price ? [{ name: product.name, price: { amount: price.amount, currency: facts.currency } }] : []
    })
}
