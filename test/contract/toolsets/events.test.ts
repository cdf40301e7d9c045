import { describeContract } from '../contract.ts'

describeContract('events')
