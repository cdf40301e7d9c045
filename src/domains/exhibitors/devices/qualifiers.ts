import { findAnswerErrorMessage, toCustomFieldRules } from '../../configuration/flow/answer-rules.ts'
import type { CustomField, EventConfig } from '../../configuration/schema/event-config.ts'

/** A question about a lead that booth staff answer in the app. */
export interface LeadQuestion {
  code: string
  label: string
  type: CustomField['responseType']
  choices: { code: string; label: string }[]
}

type Settings = Pick<EventConfig, 'exhibitorConfig' | 'customFields'>

/** Lists the event's lead questions in the organizer's order. Sensitive questions are left out: only the participant may answer those. */
function listQualifierFields({ exhibitorConfig, customFields }: Settings): CustomField[] {
  const byCode = new Map(
    customFields.filter(({ sensitive, responseType }) => !sensitive && responseType !== 'file').map((field) => [field.code, field]),
  )
  return exhibitorConfig.leadQualifiers.flatMap((code) => byCode.get(code) ?? [])
}

export const listLeadQuestions = (settings: Settings): LeadQuestion[] =>
  listQualifierFields(settings)
    .filter(({ retired }) => !retired)
    .map(({ code, name, responseType, choices }) => ({
      code,
      label: name,
      type: responseType,
      choices: choices.filter(({ retired }) => !retired).map((choice) => ({ code: choice.code, label: choice.name })),
    }))

/**
 * Splits answers into valid ones (null removes an answer) and invalid ones. A device may have been offline while the organizer changed
 * the questions, so an invalid answer is reported in `leftOut` instead of rejecting the scan.
 */
export function validateQualifierAnswers(
  settings: Settings,
  sent: Readonly<Record<string, unknown>>,
): { kept: Record<string, unknown>; leftOut: string[] } {
  const fields = new Map(listQualifierFields(settings).map((field) => [field.code, field]))
  const kept: Record<string, unknown> = {}
  const leftOut: string[] = []
  for (const [code, answer] of Object.entries(sent)) {
    const field = fields.get(code)
    // Choices that the organizer retired are accepted: an offline device may still offer them.
    if (field && (answer === null || findAnswerErrorMessage(toCustomFieldRules(field), null, answer, { previous: answer }) === null))
      kept[code] = answer
    else leftOut.push(`qualifiers/${code}`)
  }
  return { kept, leftOut }
}
