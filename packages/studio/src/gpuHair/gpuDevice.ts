/** The device of the page, or of Node, with all that its adapter offers for heads of hair. */

export interface OpenedDevice {
  readonly device: GPUDevice;
  /** What the adapter says that it is. */
  readonly name: string;
}

/** Throws an Error that says what to do if there is no adapter. */
export async function openGpuDevice(gpu: GPU | undefined): Promise<OpenedDevice> {
  if (!gpu)
    throw new Error(
      'This browser has no WebGPU. Chrome and Edge have it since 2023, Safari since version 26, Firefox since 141.',
    );
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter)
    throw new Error(
      'This browser has WebGPU, but found no graphics processor for it. Its settings may have switched hardware acceleration off.',
    );
  const { maxBufferSize, maxStorageBufferBindingSize, maxStorageBuffersPerShaderStage } = adapter.limits;
  const device = await adapter.requestDevice({
    requiredLimits: { maxBufferSize, maxStorageBufferBindingSize, maxStorageBuffersPerShaderStage },
  });
  const { vendor, architecture, description } = adapter.info;
  return { device, name: [vendor, architecture, description].filter((part) => part !== '').join(' ') };
}
