import { describePath } from '../../../../domains/configuration/diff/describe-path.ts'
import { findLabel } from '../../../../domains/configuration/labels.ts'
import { followPointer, parsePointer } from '../../../../domains/configuration/pointers.ts'
import type { EventConfig } from '../../../../domains/configuration/schema/event-config.ts'

/** Replaces straight quotes around names by typographic ones. A name with quotes of its own is escaped. */
export const toTypographicQuotes = (text: string): string =>
  text.replaceAll(/"((?:[^"\\]|\\.)*)"/g, (_, quoted: string) => `“${quoted.replaceAll(/\\(["\\])/g, '$1')}”`)

/** Formats the title of a setting for a page: "Contact email of details" is shown as "Contact email". */
export const formatSettingTitle = (title: string): string => toTypographicQuotes(title.replace(/ of details$/, ''))

/** Names the setting at a path. Null for the whole draft and for paths that do not exist in it. */
export function describeSetting(config: EventConfig, path: string): string | null {
  const labelAt = (pointer: string) => {
    const { location, left } = followPointer(config, parsePointer(pointer))
    return left.length === 0 ? findLabel(location.value) : null
  }
  const title = /^\/[^/]/.test(path) && !/~(?![01])/.test(path) ? describePath(path, labelAt) : null
  return title === null ? null : formatSettingTitle(title)
}

/** Whether a message starts with a verb, so that it continues the name of its setting: "is required to publish". */
export const messageStartsWithVerb = (message: string): boolean => /^(is|are|has|must|cannot|needs|does)\b/.test(message)

/** Whether the message already contains all names of the setting's title, such as “Board” in the message "The flow “Board” has no …". */
export const isSettingNamedInMessage = (title: string, message: string): boolean => {
  const names = title.match(/“[^”]+”/g) ?? []
  return names.length > 0 && names.every((name) => message.includes(name))
}
