import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { limitBody, stillComing } from '../patience.ts'

const LIMIT = 1000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A request on a connection that only notes how it was ended. */
function begin(headers: Record<string, string>, headersSent = false) {
  const ended: string[] = []
  const socket = { end: (text: string) => ended.push(text.split('\r\n')[0]!), destroy: () => ended.push('destroyed') }
  const request = Object.assign(new EventEmitter(), { headers, socket }) as unknown as IncomingMessage
  const response = Object.assign(new EventEmitter(), { headersSent }) as unknown as ServerResponse
  limitBody(request, response, LIMIT)
  return { request, response, ended }
}

const LATE = ['HTTP/1.1 408 Request Timeout']

describe('the body of a request', () => {
  it.each([{ 'content-length': '3' }, { 'transfer-encoding': 'chunked' }])('that does not come in time ends it: %o', (headers) => {
    const { ended } = begin(headers as Record<string, string>)
    vi.advanceTimersByTime(LIMIT - 1)
    expect(ended).toEqual([])
    vi.advanceTimersByTime(1)
    expect(ended).toEqual(LATE)
  })

  it('that is refused already is not answered a second time', () => {
    const { ended } = begin({ 'content-length': '3' }, true)
    vi.advanceTimersByTime(LIMIT)
    expect(ended).toEqual(['destroyed'])
  })

  it('that is whole, or not there at all, leaves all the time for the answer', () => {
    const whole = begin({ 'content-length': '3' })
    whole.request.emit('end')
    const gone = begin({ 'content-length': '3' })
    gone.response.emit('close')
    const others = [whole, gone, begin({}), begin({ 'content-length': '0' })]
    vi.advanceTimersByTime(LIMIT * 10)
    expect(others.map(({ ended }) => ended)).toEqual([[], [], [], []])
  })

  it('may take longer where each piece comes in time, and no longer than that', () => {
    const { request, ended } = begin({ 'content-length': '300000' })
    for (let piece = 0; piece < 5; piece++) {
      vi.advanceTimersByTime(LIMIT - 1)
      stillComing(request)
    }
    expect(ended).toEqual([])
    vi.advanceTimersByTime(LIMIT)
    expect(ended).toEqual(LATE)
  })
})
