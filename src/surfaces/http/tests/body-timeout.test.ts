import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startBodyTimeout, extendBodyTimeout } from '../body-timeout.ts'

const LIMIT = 1000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A request on a connection that records how it was ended. */
function begin(headers: Record<string, string>, headersSent = false) {
  const ended: string[] = []
  const socket = Object.assign(new EventEmitter(), {
    end: (text: string) => ended.push(text.split('\r\n')[0]!),
    destroy: () => ended.push('destroyed'),
    destroyed: false,
  })
  const request = Object.assign(new EventEmitter(), { headers, socket, complete: false }) as unknown as IncomingMessage
  const response = Object.assign(new EventEmitter(), { headersSent }) as unknown as ServerResponse
  startBodyTimeout(request, response, LIMIT)
  return { request, response, ended }
}

const LATE = ['HTTP/1.1 408 Request Timeout']

describe('startBodyTimeout', () => {
  it.each([{ 'content-length': '3' }, { 'transfer-encoding': 'chunked' }])(
    'ends a request with the headers %o if its body does not arrive in time',
    (headers) => {
      const { ended } = begin(headers as Record<string, string>)
      vi.advanceTimersByTime(LIMIT - 1)
      expect(ended).toEqual([])
      vi.advanceTimersByTime(1)
      expect(ended).toEqual(LATE)
    },
  )

  it('sends no second response to a request that was already answered', () => {
    const { ended } = begin({ 'content-length': '3' }, true)
    vi.advanceTimersByTime(LIMIT)
    expect(ended).toEqual(['destroyed'])
  })

  it('sets no time limit for a request with a complete or missing body', () => {
    const whole = begin({ 'content-length': '3' })
    whole.request.emit('end')
    const gone = begin({ 'content-length': '3' })
    Object.assign(gone.request.socket, { destroyed: true })
    gone.response.emit('close')
    const others = [whole, gone, begin({}), begin({ 'content-length': '0' })]
    vi.advanceTimersByTime(LIMIT * 10)
    expect(others.map(({ ended }) => ended)).toEqual([[], [], [], []])
  })

  it('closes the connection of an answered request whose body does not end, however slowly it arrives', () => {
    const { request, response, ended } = begin({ 'content-length': '300000' })
    response.emit('close')
    for (let piece = 0; piece < 9; piece++) {
      vi.advanceTimersByTime(LIMIT - 1)
      extendBodyTimeout(request)
    }
    expect(ended).toEqual(['destroyed'])
  })

  it('keeps the connection of an answered request whose body ends', () => {
    const { request, response, ended } = begin({ 'content-length': '3' })
    response.emit('close')
    vi.advanceTimersByTime(LIMIT)
    request.emit('end')
    vi.advanceTimersByTime(LIMIT * 100)
    expect(ended).toEqual([])
  })

  it('extends the time limit of an upload while chunks arrive in time', () => {
    const { request, ended } = begin({ 'content-length': '300000' })
    for (let piece = 0; piece < 5; piece++) {
      vi.advanceTimersByTime(LIMIT - 1)
      extendBodyTimeout(request)
    }
    expect(ended).toEqual([])
    vi.advanceTimersByTime(LIMIT)
    expect(ended).toEqual(LATE)
  })
})
