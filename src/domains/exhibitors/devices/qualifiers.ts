import { checkAnswer, rulesOfField } from '../../configuration/flow/values.ts'
import type { CustomField, EventConfig } from '../../configuration/schema/event-config.ts'

/** A question that booth staff answer about a lead, as an app asks it. */
export interface Qualifier {
  code: string
  label: string
  type: CustomField['responseType']
  choices: { code: string; label: string }[]
}

type Settings = Pick<EventConfig, 'exhibitorConfig' | 'customFields'>

/** In the order the organizer chose. What is sensitive is for the person alone to tell. */
function fieldsOf({ exhibitorConfig, customFields }: Settings): CustomField[] {
  const byCode = new Map(
    customFields.filter(({ sensitive, responseType }) => !sensitive && responseType !== 'file').map((field) => [field.code, field]),
  )
  return exhibitorConfig.leadQualifiers.flatMap((code) => byCode.get(code) ?? [])
}

export const qualifiersOf = (settings: Settings): Qualifier[] =>
  fieldsOf(settings)
    .filter(({ retired }) => !retired)
    .map(({ code, name, responseType, choices }) => ({
      code,
      label: name,
      type: responseType,
      choices: choices.filter(({ retired }) => !retired).map((choice) => ({ code: choice.code, label: choice.name })),
    }))

/**
 * What of the answers can be kept, null where one is taken back. A device may have been without a connection since the organizer changed the
 * questions: a scan is worth more than an answer to a question that is gone, so that is left out and told.
 */
export function keptQualifiers(
  settings: Settings,
  sent: Readonly<Record<string, unknown>>,
): { kept: Record<string, unknown>; leftOut: string[] } {
  const fields = new Map(fieldsOf(settings).map((field) => [field.code, field]))
  const kept: Record<string, unknown> = {}
  const leftOut: string[] = []
  for (const [code, answer] of Object.entries(sent)) {
    const field = fields.get(code)
    // A retired choice was still offered to a device that has not heard of it.
    if (field && (answer === null || checkAnswer(rulesOfField(field), null, answer, { previous: answer }) === null)) kept[code] = answer
    else leftOut.push(`qualifiers/${code}`)
  }
  return { kept, leftOut }
}
