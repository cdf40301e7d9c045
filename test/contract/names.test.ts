import type { z } from 'zod'
import { describe, expect, it } from 'vitest'
import { email, name } from '../../src/kernel/args.ts'
import { TOOLSETS_IN_ORDER } from '../../src/toolsets/index.ts'

/** Breaks, tabs, a turned direction, a soft hyphen, zero widths, a tag, a control, odd blanks. */
const DISGUISED = '\u200f Acme\u202e\u00ad\u200b \r\n\u2028\tEvents\u{e0041}\u0007\u00a0\u3000GmbH\u2066 '

/** Not what something is called, but which one of a fixed list is meant. */
const KEYS = new Set(['set_directory_credential name'])

const named = TOOLSETS_IN_ORDER.flatMap(({ tools }) => tools).flatMap((tool) =>
  Object.entries(tool.input.shape as Record<string, z.ZodType>)
    .filter(([key]) => /^(name|title|.+Name)$/.test(key) && !KEYS.has(`${tool.name} ${key}`))
    .map(([key, type]) => [`${tool.name} ${key}`, type] as const),
)

describe('a name', () => {
  it('is on one line and hides nothing, and is refused when nothing is left of it', () => {
    expect(name().parse(DISGUISED)).toBe('Acme Events GmbH')
    expect(name().parse('Jürgen  Müller')).toBe('Jürgen Müller')
    // Persian spells with a joiner between letters, a family is one picture by joiners: both are seen.
    for (const seen of ['نمی‌خواهم', '👩‍👧 Team', 'O’Neil']) expect(name().parse(seen)).toBe(seen)
    for (const nothing of ['', ' \n', '\u200b\u2060', '\u202e\u0000'])
      expect(name().safeParse(nothing).error!.issues[0]!.message).toBe('must not be empty')
    expect(name(4).safeParse('A\u200b\u200b\u200bbcd').success).toBe(true)
    expect(name(4).safeParse('Abcde').success).toBe(false)
  })

  it('is asked for by some tools', () => {
    expect(named.map(([where]) => where)).toEqual(
      expect.arrayContaining(['create_event name', 'clone_event newName', 'update_client name']),
    )
  })

  it.each(named)('is cleaned wherever a tool takes one: %s', (_, type) => {
    expect(type.parse(DISGUISED)).toBe('Acme Events GmbH')
  })

  it('hides nothing in an address either', () => {
    expect(email().safeParse('kim@fairs.example').success).toBe(true)
    for (const hidden of ['ki\u200bm@fairs.example', 'kim@fairs\u202e.example', 'k\u0007im@fairs.example'])
      expect(email().safeParse(hidden).success).toBe(false)
  })
})
