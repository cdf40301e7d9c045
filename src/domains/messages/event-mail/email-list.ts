import { chooseTranslator } from '../../../kernel/language/translator.ts'
import { EMAIL_TRIGGERS, type EmailTemplateSchema } from '../../configuration/schema/emails.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import type { z } from 'zod'
import { findBuiltInEmail, isAlwaysSentEmail, type EmailTemplate, type EmailTrigger } from './built-in.ts'

/** An email that the event sends: a custom email, or the built-in email of a trigger that has no custom email. */
export interface ListedEmail {
  /**
   * The code of a custom email, or the trigger of a built-in email. Codes never contain a dot and triggers always do, so the two cannot
   * clash.
   */
  key: string
  trigger: EmailTrigger
  /** The name of a custom email; null for a built-in email. */
  name: string | null
  subject: string
  /** Whether the email is sent. An event can turn off its custom emails. */
  isSent: boolean
  own: z.output<typeof EmailTemplateSchema> | null
  template: EmailTemplate
}

/** Lists the event's custom emails and the built-in emails that they do not replace, in the order of the triggers. */
export function listEventEmails({ emails }: Pick<EventConfig, 'emails'>, locale: string): ListedEmail[] {
  const words = chooseTranslator(locale)
  return EMAIL_TRIGGERS.flatMap((trigger): ListedEmail[] => {
    const own = emails.filter((email) => email.trigger === trigger)
    const builtIn = findBuiltInEmail(trigger, words)
    const hasOwn = own.some(({ enabled }) => enabled) || (own.length > 0 && !isAlwaysSentEmail(trigger))
    return [
      ...own.map((email) => ({
        key: email.code,
        trigger,
        name: email.name,
        subject: email.subject,
        isSent: email.enabled,
        own: email,
        template: email,
      })),
      ...(builtIn && !hasOwn
        ? [{ key: trigger, trigger, name: null, subject: builtIn.subject, isSent: true, own: null, template: builtIn }]
        : []),
    ]
  })
}
