import { type FieldError, invalidArguments } from '../../kernel/errors.ts'
import { findMostSimilarName } from '../../kernel/nearest.ts'
import type { ConnectionRow } from './connections.ts'
import { findPreset } from './engine/presets.ts'
import { parseTemplate, listUsedSettings } from './engine/template.ts'
import { isUploadedList } from './uploaded-lists.ts'

/** A preset of a directory or a connection that was created from a preset; both declare settings. */
type SettingsOwner = Pick<ConnectionRow, 'requests' | 'auth'> & ({ preset: string } | { code: string; settingNames: unknown })

const presetOf = (configured: SettingsOwner) => ('preset' in configured ? configured.preset : configured.code)

const MAX_SETTING_CHARACTERS = 500

/** Lists the setting names of the preset, and those that requests and auth use as {{setting.name}}. */
function listSettingNames(configured: SettingsOwner): string[] {
  const { requests, auth } = configured
  const ofRequests = Object.values(requests).flatMap((request) => (request ? listUsedSettings(request) : []))
  const ofAuth = [auth.settings.tokenUrl, auth.settings.scope].flatMap((text) =>
    parseTemplate(text ?? '').flatMap((part) => (typeof part !== 'string' && part.of === 'setting' ? [part.name] : [])),
  )
  return [...new Set([...(findPreset(presetOf(configured))?.settingNames.map(({ name }) => name) ?? []), ...ofRequests, ...ofAuth])]
}

/**
 * Rejects settings that no request and no auth method uses. Only a generic connection accepts any name, because its requests are written
 * after its settings.
 */
export function checkConnectionSettings(connection: SettingsOwner, settings: Record<string, string>): Record<string, string> {
  const preset = presetOf(connection)
  const list = isUploadedList({ preset })
  const known = list ? ['csv'] : listSettingNames(connection)
  const free = preset === 'generic-rest'
  const issues = Object.entries(settings).flatMap(([name, value]): FieldError[] => {
    const path = `settings/${name}`
    if (!known.includes(name) && (!free || name === 'csv')) {
      const near = findMostSimilarName(name, known)
      return [{ path, message: `is not a setting of preset ${preset}${near ? ` — did you mean ${near}?` : ''}`, allowed: known }]
    }
    return !list && value.length > MAX_SETTING_CHARACTERS ? [{ path, message: `at most ${MAX_SETTING_CHARACTERS} characters` }] : []
  })
  if (issues.length > 0) throw invalidArguments(issues)
  return settings
}
