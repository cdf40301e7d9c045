import { TOOLSETS } from '../../kernel/permissions.ts'
import { cleanText } from '../../kernel/clean-text.ts'

/** The toolsets selected in the URL; null means all of them. */
export function parseSelectedToolsets(
  query: URLSearchParams,
  known: readonly string[] = TOOLSETS,
): readonly string[] | null | { refusal: string } {
  const others = [...new Set([...query.keys()].filter((name) => name !== 'toolsets'))]
  if (others.length > 0) return { refusal: `Unknown query parameter(s): ${others.map(shown).join(', ')} — known: toolsets` }
  const names = query
    .getAll('toolsets')
    .flatMap((value) => value.split(','))
    .map((name) => name.trim().toLowerCase())
    .filter(Boolean)
  if (names.length === 0) return null
  const unknown = [...new Set(names.filter((name) => !known.includes(name)))]
  if (unknown.length > 0) return { refusal: `Unknown toolset(s): ${unknown.map(shown).join(', ')} — known: ${known.join(', ')}` }
  return [...new Set(names)]
}

const shown = (name: string) => cleanText(name, 60)
