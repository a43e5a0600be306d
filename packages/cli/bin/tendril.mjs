#!/usr/bin/env node
import * as nodeModule from 'node:module';

// Node 22.1 and newer keep compiled code between runs; threads and child processes find the folder in their environment
const cache = nodeModule.enableCompileCache?.();
if (cache?.directory) process.env.NODE_COMPILE_CACHE ??= cache.directory;
const { main } = await import('../dist/supervisor.js');
process.exitCode = await main(process.argv);
