// Prints the number of samples of all curves of an Alembic file, and their bounds in the last one, as the Alembic library reads them.
#include <Alembic/AbcCoreOgawa/All.h>
#include <Alembic/AbcGeom/All.h>
#include <cstdio>

using namespace Alembic::AbcGeom;

int main(int, char **argument) {
  IArchive archive(Alembic::AbcCoreOgawa::ReadArchive(), argument[1]);
  size_t samples = 0;
  Box3d bounds;
  for (size_t k = 0; k < archive.getTop().getNumChildren(); k++) {
    IObject object = archive.getTop().getChild(k);
    if (!ICurves::matches(object.getHeader())) continue;
    ICurvesSchema curves = ICurves(object, kWrapExisting).getSchema();
    samples = curves.getNumSamples();
    ICurvesSchema::Sample sample;
    curves.get(sample, ISampleSelector(index_t(samples - 1)));
    for (size_t i = 0; i < sample.getPositions()->size(); i++) bounds.extendBy(V3d((*sample.getPositions())[i]));
  }
  printf("{\"version\": \"%s\", \"samples\": %zu, \"bounds\": [%.9g, %.9g, %.9g, %.9g, %.9g, %.9g]}\n",
         Alembic::AbcCoreAbstract::GetLibraryVersionShort().c_str(), samples, bounds.min.x, bounds.min.y, bounds.min.z,
         bounds.max.x, bounds.max.y, bounds.max.z);
}
