import type { EventConfig } from '../../../../domains/configuration/schema/event-config.ts'
import { messageStartsWithVerb, describeSetting } from './setting-titles.ts'

/** Replaces the codes of configuration items, such as products, in a text by their names. */
function nameCodes(text: string, items: readonly { code: string; name: string }[]): string {
  const names = new Map(items.map(({ code, name }) => [code, name]))
  return text.replaceAll(/[A-Za-z0-9][\w-]*/g, (word) => names.get(word) ?? word)
}

/**
 * The reasons for setup tasks in words for the console. Tools return codes, which assistants use in their next call; the console shows
 * names.
 */
const PAGE_REASONS: Record<string, (why: string, config: EventConfig) => string> = {
  'basics.details': (why) => why.replace('contactEmail', 'contact email'),
  'catalog.taxes': (why, { products }) => nameCodes(why, products),
  'flow.valid': (why, config) => {
    const [, path = '', message = ''] = /^(\/\S*): (.*)$/s.exec(why) ?? []
    const setting = describeSetting(config, path)
    return setting === null ? why : `${setting}${messageStartsWithVerb(message) ? ' ' : ': '}${message}`
  },
  'flow.reviewed': (why) => why.replace(/^[A-Z]\d+ /, ''),
  'flow.rehearsed': (why, { flows }) =>
    nameCodes(
      why,
      flows.map(({ slug, name }) => ({ code: slug, name })),
    ).replaceAll(/ since revision \d+/g, ' since its last test'),
  'payment.provider': (why) => why.replace('; set billing with update_client', ''),
  'email.sender': (why) => why.replace('no enabled email has the trigger registration.completed', 'no confirmation email is turned on'),
  'surveys.ready': (why, { surveys }) => nameCodes(why, surveys),
}

export const formatSetupReason = (task: { code: string; why: string }, config: EventConfig): string =>
  Object.hasOwn(PAGE_REASONS, task.code) ? PAGE_REASONS[task.code]!(task.why, config) : task.why
