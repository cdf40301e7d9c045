import type { z } from 'zod'
import { describe, expect, it } from 'vitest'
import { email, name } from '../../src/kernel/args.ts'
import { ALL_TOOLSETS } from '../../src/toolsets/index.ts'

/** A name with line breaks, tabs, a direction override, a soft hyphen, zero-width, tag and control characters and unusual spaces. */
const DISGUISED = '\u200f Acme\u202e\u00ad\u200b \r\n\u2028\tEvents\u{e0041}\u0007\u00a0\u3000GmbH\u2066 '

/** Arguments called `name` that take a key from a fixed list instead of a display name. */
const KEY_ARGUMENTS = new Set(['set_directory_credential name'])

const named = ALL_TOOLSETS.flatMap(({ tools }) => tools).flatMap((tool) =>
  Object.entries(tool.input.shape as Record<string, z.ZodType>)
    .filter(([key]) => /^(name|title|.+Name)$/.test(key) && !KEY_ARGUMENTS.has(`${tool.name} ${key}`))
    .map(([key, type]) => [`${tool.name} ${key}`, type] as const),
)

describe('arguments for names', () => {
  it('reduces a name to one line of visible characters, and rejects the name if nothing remains', () => {
    expect(name().parse(DISGUISED)).toBe('Acme Events GmbH')
    expect(name().parse('Jürgen  Müller')).toBe('Jürgen Müller')
    // Persian uses the zero-width non-joiner inside words and emoji families use joiners: both stay.
    for (const seen of ['نمی‌خواهم', '👩‍👧 Team', 'O’Neil']) expect(name().parse(seen)).toBe(seen)
    for (const nothing of ['', ' \n', '\u200b\u2060', '\u202e\u0000'])
      expect(name().safeParse(nothing).error!.issues[0]!.message).toBe('must not be empty')
    expect(name(4).safeParse('A\u200b\u200b\u200bbcd').success).toBe(true)
    expect(name(4).safeParse('Abcde').success).toBe(false)
  })

  it('finds the name arguments of create_event, clone_event and update_client', () => {
    expect(named.map(([where]) => where)).toEqual(
      expect.arrayContaining(['create_event name', 'clone_event newName', 'update_client name']),
    )
  })

  it.each(named)('removes hidden characters from names in every tool that takes a name: %s', (_, type) => {
    expect(type.parse(DISGUISED)).toBe('Acme Events GmbH')
  })

  it('rejects hidden characters in email addresses', () => {
    expect(email().safeParse('kim@fairs.example').success).toBe(true)
    for (const hidden of ['ki\u200bm@fairs.example', 'kim@fairs\u202e.example', 'k\u0007im@fairs.example'])
      expect(email().safeParse(hidden).success).toBe(false)
  })
})
