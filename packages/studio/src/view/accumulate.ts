/**
 * The mean of several pictures of something that stands still, each seen and lit from slightly elsewhere: smooth edges, soft shadows, and
 * light of the sky that does not reach into corners and under contacts.
 *
 * Pictures are copied from the canvas and summed in half floats; the canvas then shows their mean. They are summed as they are seen, after
 * tone mapping, with premultiplied alpha, so that the mean of edges is right over any page.
 */
import {
  AddEquation,
  CustomBlending,
  FramebufferTexture,
  HalfFloatType,
  Mesh,
  NoBlending,
  OneFactor,
  OrthographicCamera,
  PlaneGeometry,
  Scene,
  ShaderMaterial,
  Vector2,
  type WebGLRenderer,
  WebGLRenderTarget,
} from 'three';

export interface Accumulator {
  /** Adds what is on the canvas now as picture number `pass`, from 0, and shows the mean so far. */
  add(renderer: WebGLRenderer, pass: number): void;
  dispose(): void;
}

const vertexShader = /* glsl */ `
varying vec2 vAt;
void main() {
  vAt = uv;
  gl_Position = vec4(position.xy, 0.0, 1.0);
}
`;

const fragmentShader = /* glsl */ `
uniform sampler2D picture;
uniform float weight;
varying vec2 vAt;
void main() { gl_FragColor = weight * texture2D(picture, vAt); }
`;

/** Materials that add a picture to the sum, and that show a picture. */
function createMaterials(uniforms: ShaderMaterial['uniforms']): Record<'adding' | 'showing', ShaderMaterial> {
  const shaders = { uniforms, vertexShader, fragmentShader, depthTest: false, depthWrite: false };
  const adding = new ShaderMaterial({
    ...shaders,
    blending: CustomBlending,
    blendEquation: AddEquation,
    blendSrc: OneFactor,
    blendDst: OneFactor,
  });
  const showing = new ShaderMaterial({ ...shaders, blending: NoBlending });
  // each constructor clones the uniforms that it gets
  adding.uniforms = uniforms;
  showing.uniforms = uniforms;
  return { adding, showing };
}

export function createAccumulator(): Accumulator {
  const size = new Vector2();
  const uniforms = { picture: { value: undefined as unknown }, weight: { value: 1 } };
  const { adding, showing } = createMaterials(uniforms);
  const quad = new Mesh(new PlaneGeometry(2, 2), adding);
  quad.frustumCulled = false;
  const scene = new Scene().add(quad);
  const camera = new OrthographicCamera();
  let copy: FramebufferTexture | undefined;
  let sum: WebGLRenderTarget | undefined;
  const release = (): void => {
    copy?.dispose();
    sum?.dispose();
  };
  const paint = (renderer: WebGLRenderer, material: ShaderMaterial, picture: unknown, weight: number): void => {
    quad.material = material;
    uniforms.picture.value = picture;
    uniforms.weight.value = weight;
    renderer.render(scene, camera);
  };
  return {
    add(renderer, pass) {
      renderer.getDrawingBufferSize(size);
      if (!copy || !sum || sum.width !== size.x || sum.height !== size.y) {
        release();
        copy = new FramebufferTexture(size.x, size.y);
        sum = new WebGLRenderTarget(size.x, size.y, { type: HalfFloatType, depthBuffer: false });
      }
      renderer.copyFramebufferToTexture(copy);
      renderer.setScissorTest(false);
      renderer.setRenderTarget(sum);
      if (pass === 0) {
        const alpha = renderer.getClearAlpha();
        renderer.setClearAlpha(0);
        renderer.clear();
        renderer.setClearAlpha(alpha);
      }
      paint(renderer, adding, copy, 1);
      renderer.setRenderTarget(null);
      if (pass === 0) return;
      renderer.getSize(size);
      renderer.setViewport(0, 0, size.x, size.y);
      paint(renderer, showing, sum.texture, 1 / (pass + 1));
    },
    dispose() {
      release();
      adding.dispose();
      showing.dispose();
      quad.geometry.dispose();
    },
  };
}

/** Element of the Halton sequence, 0…1. */
function halton(index: number, base: number): number {
  let [value, part] = [0, 1];
  for (let i = index + 1; i > 0; i = Math.floor(i / base)) {
    part /= base;
    value += part * (i % base);
  }
  return value;
}

/** Evenly over a square, −½…½ each; the first pictures are as even as many. */
export function spread(pass: number, which: 'pixel' | 'key' | 'sky'): [number, number] {
  const [a, b] = which === 'pixel' ? [2, 3] : which === 'key' ? [3, 5] : [2, 5];
  return [halton(pass, a) - 0.5, halton(pass, b) - 0.5];
}
