import { readDraftConfiguration } from '../../../../domains/configuration/read.ts'
import type { ReportParameter } from '../../../../domains/reports/designed/parameters.ts'
import { listMyEvents } from '../../../../domains/tenancy/my-events.ts'
import type { SelectOption } from '../../components/forms.tsx'
import type { EventPageContext } from '../event/event-page.ts'

const MAX_CHOICES = 100

/** The values that a parameter can have, by name, for parameters whose values the event defines. */
export type ParameterChoices = Readonly<Record<string, readonly SelectOption[]>>

/** Lists the flows, tags and surveys of the event, and the other events of its client, for the parameters that need them. */
export async function listParameterChoices(at: EventPageContext, parameters: readonly ReportParameter[]): Promise<ParameterChoices> {
  const names = new Set(parameters.map(({ name }) => name))
  const choices: Record<string, readonly SelectOption[]> = {}
  if (['flowSlug', 'tags', 'surveyCode'].some((name) => names.has(name))) {
    const { config } = await readDraftConfiguration(at.reading)
    const toOptions = (items: readonly { code: string; name: string }[]) => items.map(({ code, name }) => ({ value: code, label: name }))
    if (names.has('flowSlug')) choices['flowSlug'] = config.flows.map(({ slug, name }) => ({ value: slug, label: name }))
    if (names.has('tags')) choices['tags'] = toOptions(config.tags)
    if (names.has('surveyCode')) choices['surveyCode'] = toOptions(config.surveys)
  }
  if (names.has('compareWith')) {
    const { events } = await listMyEvents(at.reading, { limit: MAX_CHOICES })
    choices['compareWith'] = events
      .filter(({ clientCode, eventCode }) => clientCode === at.client.code && eventCode !== at.event.code)
      .map(({ eventCode, name }) => ({ value: eventCode, label: name }))
  }
  return choices
}
