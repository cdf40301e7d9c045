import { describePath } from '../../../../domains/configuration/diff/describe-path.ts'
import { findLabel } from '../../../../domains/configuration/labels.ts'
import { followPointer, parsePointer } from '../../../../domains/configuration/pointers.ts'
import type { EventConfig } from '../../../../domains/configuration/schema/event-config.ts'

/** Formats the title of a setting for a page: `Price of "Gala dinner"` gets typographic quotes, and "Contact email of details" is shortened. */
export const formatSettingTitle = (title: string): string =>
  title.replace(/ of details$/, '').replaceAll(/"(?:[^"\\]|\\.)*"/g, (quoted) => `“${JSON.parse(quoted) as string}”`)

/** Names the setting at a path. Null for the whole draft and for paths that do not exist in it. */
export function describeSetting(config: EventConfig, path: string): string | null {
  const labelAt = (pointer: string) => {
    const { location, left } = followPointer(config, parsePointer(pointer))
    return left.length === 0 ? findLabel(location.value) : null
  }
  const title = /^\/[^/]/.test(path) && !/~(?![01])/.test(path) ? describePath(path, labelAt) : null
  return title === null ? null : formatSettingTitle(title)
}

/** Whether a message continues the name of its setting: "is required to publish". */
export const continuesTitle = (message: string): boolean => /^(is|are|has|must|cannot|needs|does)\b/.test(message)
