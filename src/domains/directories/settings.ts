import { type FieldError, invalidArguments } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import type { ConnectionRow } from './connections.ts'
import { findPreset } from './engine/presets.ts'
import { parseTemplate, settingsUsed } from './engine/template.ts'
import { isList } from './uploaded-lists.ts'

/** A preset, or a connection made from one. */
type Configured = Pick<ConnectionRow, 'requests' | 'auth'> & ({ preset: string } | { code: string; settingNames: unknown })

const presetOf = (configured: Configured) => ('preset' in configured ? configured.preset : configured.code)

const MAX_LENGTH = 500

/** Names that mean something here: the preset's, and those that requests and auth write as {{setting.name}}. */
function settingNamesOf(configured: Configured): string[] {
  const { requests, auth } = configured
  const ofRequests = Object.values(requests).flatMap((request) => (request ? settingsUsed(request) : []))
  const ofAuth = [auth.settings.tokenUrl, auth.settings.scope].flatMap((text) =>
    parseTemplate(text ?? '').flatMap((part) => (typeof part !== 'string' && part.of === 'setting' ? [part.name] : [])),
  )
  return [...new Set([...(findPreset(presetOf(configured))?.settingNames.map(({ name }) => name) ?? []), ...ofRequests, ...ofAuth])]
}

/** Refuses what would never be read. Only a free connection takes any name, because its requests are written after its settings. */
export function checkSettings(connection: Configured, settings: Record<string, string>): Record<string, string> {
  const preset = presetOf(connection)
  const list = isList({ preset })
  const known = list ? ['csv'] : settingNamesOf(connection)
  const free = preset === 'generic-rest'
  const issues = Object.entries(settings).flatMap(([name, value]): FieldError[] => {
    const path = `settings/${name}`
    if (!known.includes(name) && (!free || name === 'csv')) {
      const near = nearest(name, known)
      return [{ path, message: `is no setting of preset ${preset}${near ? ` — did you mean ${near}?` : ''}`, allowed: known }]
    }
    return !list && value.length > MAX_LENGTH ? [{ path, message: `at most ${MAX_LENGTH} characters` }] : []
  })
  if (issues.length > 0) throw invalidArguments(issues)
  return settings
}
