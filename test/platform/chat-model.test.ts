import { describe, expect, it } from 'vitest'
import { readEnvironment } from '../../src/platform/environment.ts'

describe('LANYARD_AI_URL', () => {
  const read = (env: Record<string, string>) => readEnvironment(env, false).ai

  it('needs no language model by default, and requires the name of a model if LANYARD_AI_URL is set', () => {
    expect(read({})).toBe(null)
    expect(read({ LANYARD_AI_MODEL: 'small-1' })).toBe(null)
    expect(() => read({ LANYARD_AI_URL: 'https://models.example.org/v1' })).toThrow(
      'LANYARD_AI_MODEL is not set: it is required with LANYARD_AI_URL',
    )
    expect(() => read({ LANYARD_AI_URL: 'models.example.org', LANYARD_AI_MODEL: 'small-1' })).toThrow('LANYARD_AI_URL must be an address')
  })

  it('accepts a local address of a language model without an API key', () => {
    const set = read({ LANYARD_AI_URL: 'http://10.0.0.5:8080/v1/', LANYARD_AI_MODEL: 'small-1' })
    expect(set).toEqual({ url: 'http://10.0.0.5:8080/v1', key: null, model: 'small-1' })
    const keyed = read({ LANYARD_AI_URL: 'https://models.example.org/v1', LANYARD_AI_MODEL: 'small-1', LANYARD_AI_KEY: 'sk-1' })
    expect(keyed!.key!.reveal()).toBe('sk-1')
    expect(JSON.stringify(keyed)).not.toContain('sk-1')
  })
})
