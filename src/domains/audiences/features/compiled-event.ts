import type { EventContext } from '../../../kernel/context.ts'
import { type FieldError, invalidArguments } from '../../../kernel/errors.ts'
import { createUnknownNameFieldError } from '../../../kernel/nearest.ts'
import { tenantDb } from '../../../kernel/scoped-db.ts'
import { endOfDay } from '../../../kernel/time.ts'
import { type Configuration, readDraftConfiguration, readLiveConfiguration } from '../../configuration/read.ts'

/** Data of an event that is needed to build the SQL for the features of its participants, from which audience profiles are made. */
export interface EventDataForProfiles {
  /** The country of the venue. */
  country: string | null
  timezone: string
  startsOn: string
  /** Whether the last day of the event has passed. */
  isOver: boolean
  now: Date
  flowKinds: ReadonlyMap<string, string>
  /** The category of each product, by product code. */
  categories: ReadonlyMap<string, string>
  trackNames: ReadonlyMap<string, string>
  choiceFields: readonly { code: string; name: string; isPersonal: boolean; choices: ReadonlyMap<string, string> }[]
}

export async function readEventDataForFeatures(ctx: EventContext, useFields: readonly string[]): Promise<EventDataForProfiles> {
  const draft = await readDraftConfiguration(ctx)
  const configuration = (await readLiveConfiguration(ctx, draft)) ?? draft
  const { config, facts } = configuration
  const { country } = await tenantDb(ctx).selectFrom('events').select('country').where('id', '=', ctx.event.id).executeTakeFirstOrThrow()
  return {
    country: country ?? config.details.venue?.country ?? null,
    timezone: facts.timezone,
    startsOn: facts.startsOn,
    isOver: facts.now >= endOfDay(facts.timezone, facts.endsOn),
    now: facts.now,
    flowKinds: new Map(config.flows.map(({ slug, kind }) => [slug, kind])),
    categories: new Map(config.products.map(({ code, category }) => [code, category])),
    trackNames: new Map(config.sessions.tracks.map(({ code, name }) => [code, name])),
    choiceFields: chooseFields(configuration, useFields),
  }
}

function chooseFields({ config }: Configuration, useFields: readonly string[]): EventDataForProfiles['choiceFields'] {
  const errors: FieldError[] = []
  const chosen = useFields.flatMap((code, index) => {
    const path = `useFields[${index}]`
    const field = config.customFields.find((one) => one.code === code)
    if (!field) {
      const codes = config.customFields
        .filter(({ responseType, sensitive }) => responseType === 'choice' && !sensitive)
        .map((one) => one.code)
      errors.push(createUnknownNameFieldError(path, code, codes, 'choice field'))
    } else if (field.sensitive) errors.push({ path, message: `${code} is sensitive, and sensitive fields are never used` })
    else if (field.responseType !== 'choice') errors.push({ path, message: `${code} is a ${field.responseType} field; use choice fields` })
    else {
      const choices = new Map(field.choices.map((choice) => [choice.code, choice.name]))
      return [{ code, name: field.name, isPersonal: field.personal, choices }]
    }
    return []
  })
  if (errors.length > 0) throw invalidArguments(errors)
  return chosen
}
