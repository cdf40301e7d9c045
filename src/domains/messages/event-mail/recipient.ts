import { conditionHolds, visibleFor } from '../../../kernel/conditions.ts'
import { wordsIn } from '../../../kernel/language/words.ts'
import { priceFor } from '../../configuration/flow/prices.ts'
import type { EventFacts } from '../../configuration/read.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import { eventPages } from '../../tenancy/public-pages.ts'
import type { FieldValue, MailPicture, MailProduct, Recipient } from '../rendering/recipient.ts'
import type { OrderFacts } from './order.ts'
import { answerField, countryName, fullName, type ParticipantRow, personField, propertyOf } from './person.ts'
import type { MailingEvent } from './mailing-event.ts'

/** Everything that one mail of an event may speak of. */
export interface Told {
  /** In the language of the mail. */
  config: EventConfig
  facts: EventFacts
  locale: string
  person: ParticipantRow | null
  to: { email: string; name?: string | null | undefined }
  order: OrderFacts | null
  /** How many of each product they have. */
  held: ReadonlyMap<string, number>
  group: { name: string; code: string } | null
  sender: { name: string; email: string | null; postalAddress: string | null }
  badge: MailPicture | null
  /** What the sender of this mail knows better, by field. */
  values: Readonly<Record<string, FieldValue>>
}

type Fields = Record<string, (name: string) => FieldValue>

export function recipientOf(ctx: MailingEvent, told: Told): Recipient {
  const { values, config, facts, order, sender, badge, person } = told
  const fields = fieldsOf(ctx, told)
  const words = wordsIn(told.locale)
  const { venue } = config.details
  const address = [venue?.address, venue?.city, countryName(venue?.country, told.locale)].filter(Boolean).join(', ')
  return {
    value: (path) => {
      if (Object.hasOwn(values, path)) return values[path]
      const [entity = '', name = ''] = path.split('.', 2)
      return Object.hasOwn(fields, entity) ? fields[entity]!(name) : null
    },
    shows: (condition) => conditionHolds(condition, (binding) => answerTo(binding, told), facts.timezone),
    event: {
      name: config.details.name,
      startsOn: facts.startsOn,
      endsOn: facts.endsOn,
      ...(venue ? { venue: venue.name ?? '', address } : {}),
      ...(config.details.website ? { website: config.details.website } : {}),
    },
    ...(order ? { order: order.summary } : {}),
    ...(badge ? { badge } : {}),
    products: (block) => productsFor(told, block.productCodes, 'category' in block ? block.category : null, person?.tags ?? []),
    footer: {
      why: words.say('mail.event.why', { client: sender.name, event: config.details.name }),
      ...(sender.postalAddress ? { postalAddress: sender.postalAddress } : {}),
    },
  }
}

function fieldsOf(ctx: MailingEvent, told: Told): Fields {
  const { config, facts, locale, person, to, order, group, sender } = told
  const { details } = config
  const words = wordsIn(locale)
  const pages = eventPages(ctx)
  const event: Record<string, FieldValue> = {
    name: details.name,
    code: ctx.event.code,
    startsOn: { day: facts.startsOn },
    endsOn: { day: facts.endsOn },
    dates: { from: facts.startsOn, until: facts.endsOn },
    summary: details.summary,
    venue: details.venue?.name,
    address: details.venue?.address,
    city: details.venue?.city,
    country: countryName(details.venue?.country, locale),
    website: details.website,
    contactEmail: details.contactEmail,
    url: pages.home,
  }
  const flow = person?.flow_slug ?? config.flows.find(({ retired }) => !retired)?.slug
  const links: Record<string, FieldValue> = {
    myRegistration: pages.myRegistration,
    register: flow === undefined ? pages.home : pages.register(flow),
    pay: pages.pay,
  }
  const contact: Record<string, FieldValue> = {
    firstName: person?.first_name,
    lastName: person?.last_name,
    fullName: person ? fullName(person) : to.name,
    email: to.email,
    company: person?.company,
  }
  const own = (values: Record<string, FieldValue>) => (name: string) => (Object.hasOwn(values, name) ? values[name] : null)
  return {
    participant: (name) => (person ? personField(person, name, words, locale) : null),
    custom: (code) => {
      const field = config.customFields.find((one) => one.code === code)
      const answers = person?.custom_field_responses ?? {}
      return field && Object.hasOwn(answers, code) ? answerField(field, answers[code], locale) : null
    },
    event: own(event),
    order: own(order?.fields ?? {}),
    links: own(links),
    contact: own(contact),
    group: own(group ?? {}),
    sender: own({ name: sender.name, email: sender.email }),
  }
}

/** What conditions of blocks ask about: the same bindings as those of flows. */
function answerTo(binding: string, { person, order, held, values }: Told): unknown {
  const [entity, name = ''] = binding.slice(1).split('.', 2)
  switch (entity) {
    case 'participant':
      return name === 'tags' ? (person?.tags ?? []) : name === 'status' ? person?.status : person ? propertyOf(person, name) : undefined
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

/** Products that this person sees, at their price of today. */
function productsFor({ config, facts }: Told, codes: readonly string[], category: string | null, tags: readonly string[]): MailProduct[] {
  const chosen = config.products.filter(
    ({ code, category: kind, retired }) => !retired && (codes.length > 0 ? codes.includes(code) : category === null || kind === category),
  )
  return chosen
    .filter(({ visibleForTags }) => visibleFor(visibleForTags, tags))
    .flatMap((product) => {
      const price = priceFor(product, { tags, at: facts.now, timezone: facts.timezone })
      return price ? [{ name: product.name, price: { amount: price.amount, currency: facts.currency } }] : []
    })
}
