import { describeContract } from '../contract.ts'

describeContract('sessions')
